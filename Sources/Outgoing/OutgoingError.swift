import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// The reason for the lack of a usable response from another machine.
struct OutgoingError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// Returns the cause of a failed connection that an operator can act on, if it is known; otherwise the library's
    /// description.
    static func reason(of error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            // A resolved host has an error for each of its addresses, the IPv4 ones last.
            guard let last = error.connectionErrors.last else { return "the host \(error.host) is unknown" }
            return reason(of: last.error)
        case let error as IOError: return String(cString: strerror(error.errnoCode))
        case is NIOSSLError where "\(error)".contains("CERTIFICATE_VERIFY_FAILED"):
            return "its certificate was not issued by a trusted authority"
        case is NIOSSLExtraError: return "its certificate is for another name"
        case ChannelError.connectTimeout: return "it does not answer"
        case ChannelError.inputClosed: return "it closed the connection"
        case is HTTPParserError: return "its response is not valid HTTP, or is incomplete"
        default: return "\(error)"
        }
    }
}
