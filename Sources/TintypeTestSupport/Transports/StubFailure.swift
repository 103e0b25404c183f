public import TintypeClient
public import TintypeModel

/// A failure that a stub gives instead of an answer.
public enum StubFailure: Sendable {
    /// A refusal of the service.
    case problem(Problem)
    /// An error of the network.
    case transport(TransportError)

    /// The number of requests that fail.
    public enum Repetition: Sendable {
        /// To the next request only.
        case once
        /// To all requests from now on.
        case always
    }
}
