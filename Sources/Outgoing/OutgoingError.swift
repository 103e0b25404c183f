import AsyncHTTPClient
import Glibc
import NIOCore
import NIOPosix
import NIOSSL

/// Why another machine gave no answer that is of use.
struct OutgoingError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// What an operator can do something about in a failure to connect, as far as it is known; else what the library says.
    static func reason(of error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            // With one that could be found, there is an error for each of its addresses, those of IPv4 at the end.
            guard let last = error.connectionErrors.last else { return "nobody knows \(error.host)" }
            return reason(of: last.error)
        case let error as IOError: return String(cString: strerror(error.errnoCode))
        case is NIOSSLError where "\(error)".contains("CERTIFICATE_VERIFY_FAILED"):
            return "nobody whom this machine trusts vouches for its certificate"
        case is NIOSSLExtraError: return "its certificate is for another name"
        case let error as HTTPClientError: return error.shortDescription
        default: return "\(error)"
        }
    }
}
