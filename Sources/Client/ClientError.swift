import NIOCore
import NIOPosix

/// The reason why the service cannot be reached.
package struct ClientError: Error, Sendable, CustomStringConvertible {
    /// A stable, machine-readable reason.
    package struct Code: RawRepresentable, Hashable, Sendable {
        package let rawValue: String

        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// No process listens at the address.
        package static let noService = Code(rawValue: "no_service")
        /// This user may not open the socket.
        package static let permission = Code(rawValue: "permission")
        /// The connection ended before the answer was complete.
        package static let connectionLost = Code(rawValue: "connection_lost")
        /// Any other error of the connection.
        package static let unreachable = Code(rawValue: "unreachable")
    }

    package let code: Code
    /// The problem, for a person.
    package let message: String
    /// The remedy, for a person.
    package let hint: String

    init(_ code: Code, _ message: String, hint: String) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    /// The message and, in brackets, the hint.
    package var description: String { "\(message) (\(hint))" }
}

extension ClientError {
    static let connectionLost = ClientError(
        .connectionLost, "the service closed the connection before it had answered",
        hint: "check whether it still runs, then try again")

    static func connectionLost(_ cause: any Error) -> ClientError {
        ClientError(
            .connectionLost, "the connection to the service was lost: \(cause)", hint: connectionLost.hint)
    }

    /// Translates the error of a failed connection attempt.
    init(_ error: any Error, connectingTo address: ServiceClient.Address) {
        let place =
            switch address {
            case .socket(let path): path
            case .tcp(let host, let port): "\(host):\(port)"
            }
        switch Self.errno(of: error) {
        case ENOENT, ECONNREFUSED, ENOTSOCK:
            self.init(
                .noService, "no service is listening on \(place)",
                hint: "start it with \"tintype serve\", or name its folder with --storage")
        case EACCES, EPERM:
            self.init(
                .permission, "no permission to speak to the service on \(place)",
                hint: "run this as a member of the service's group")
        default:
            self.init(.unreachable, "cannot reach \(place): \(error)", hint: "check the address")
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
