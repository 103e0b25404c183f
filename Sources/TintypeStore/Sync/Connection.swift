public import TintypeClient
public import TintypeModel

extension LocalStore {
    /// The connection of a device to the service, for a line that shows it.
    public enum Connection: Hashable, Sendable {
        /// The device tries to reach the service, or nobody is signed in.
        case connecting
        /// Everything that changes on the service arrives at once.
        case connected
        /// The last attempt got no whole answer. Another one follows.
        case disconnected(TransportError)
        /// The service has refused the last attempt. Another one follows.
        case refused(Problem)

        init(_ error: any Error) {
            switch error {
            case let error as TransportError: self = .disconnected(error)
            case let problem as Problem: self = .refused(problem)
            case let error as DecodingError: self = .disconnected(TransportError(.malformed, "\(error)"))
            default: self = .connecting
            }
        }
    }

    /// The connection to the service, while `run()` is under way.
    public func connection() -> LocalValues<Connection> {
        LocalValues(self) { [sending] view in
            view.depend(on: .connection)
            return sending.connection
        }
    }
}
