import API
import NIOCore
import NIOPosix

/// The reasons why the service cannot be reached.
extension Failure {
    /// The connection ended before the response was complete.
    static let connectionLost = Failure(
        .connectionLost, "the service closed the connection before it had answered",
        hint: "Check whether it still runs, then try again.", isTransient: true)

    static func connectionLost(_ cause: any Error) -> Failure {
        Failure(
            .connectionLost, "the connection to the service was lost: \(cause)", hint: connectionLost.hint,
            isTransient: true)
    }

    /// Translates the error of a failed connection attempt.
    init(_ error: any Error, connectingTo address: ServiceClient.Address) {
        let place =
            switch address {
            case .socket(let path): path
            case .tcp(let host, let port): "\(host):\(port)"
            }
        switch Self.errno(of: error) {
        case ENOENT, ENOTDIR, ECONNREFUSED, ENOTSOCK:
            self.init(
                .noService, "no service is listening on \(place)",
                hint: "Start it with \"tintype serve\", or name its settings with --config or its folder with "
                    + "--storage.",
                isTransient: true)
        case EACCES, EPERM:
            self.init(
                .permission, "no permission to connect to the service on \(place)",
                hint: "Run this as a member of the service's group.")
        default:
            self.init(.unreachable, "cannot reach \(place): \(error)", hint: "Check the address.", isTransient: true)
        }
    }

    private static func errno(of error: any Error) -> CInt? {
        switch error {
        case let error as IOError: error.errnoCode
        case let error as NIOConnectionError:
            (error.connectionErrors.first?.error as? IOError)?.errnoCode
        default: nil
        }
    }
}
