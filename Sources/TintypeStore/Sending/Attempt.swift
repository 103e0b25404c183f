import TintypeClient
import TintypeModel

/// The result of an attempt to send a write.
enum Attempt: Sendable {
    /// The service has carried it out.
    ///
    /// - Parameters:
    ///   - id: The id that it has given to the post or the comment; nil for other writes.
    ///   - result: The entity as the service answered; nil if it did not.
    ///   - number: The number of the change; nil if the service did not send it.
    case done(id: String?, result: JSONValue?, number: Int64?)
    /// The service has refused it.
    case refused(Problem)
    /// The service had carried it out, and its effect was deleted since.
    case undone
    /// Somebody else has changed the same, to this.
    case conflict(JSONValue)
    /// The same may succeed later; other writes can go on.
    case rest(Duration?)
    /// Something before the service has answered, such as a proxy; other writes can go on.
    case foreign
    /// No write can be sent now.
    case pause(Duration?)
    /// The person must sign in first.
    case signIn

    /// The number of answers by others than the service, such as a proxy, after which a write is refused.
    private static let foreignAnswerLimit = 8

    /// Explains an error of an attempt.
    ///
    /// - Parameter foreignCount: The number of earlier answers to the write by others than the service.
    /// - Throws: `CancellationError`.
    init(_ error: any Error, foreignCount: Int) throws {
        switch error {
        case is CancellationError: throw error
        case let problem as Problem: self = Self.of(problem, foreignCount: foreignCount)
        // What cannot be written as a request never can.
        case is TreeInputError, is EncodingError:
            self = .refused(Problem(.unknown, status: 0, message: "\(error)"))
        case let error as TransportError where !error.isTransient:
            self = .refused(Problem(.unknown, status: 0, message: error.description))
        case is SessionError: self = .signIn
        // No answer, or one that is not of the service, such as the page of a network that wants a sign-in.
        default: self = .pause(nil)
        }
    }

    private static func of(_ problem: Problem, foreignCount: Int) -> Attempt {
        switch problem.status {
        case 429, 503: .pause(problem.retryAfter)
        // A network that wants a sign-in leads to its page, whatever the request.
        case 300..<400, 407, 511: .pause(nil)
        case _ where problem.isTransient: .rest(problem.retryAfter)
        case _ where problem.code == .badToken: .signIn
        case _ where problem.code == .unknown && foreignCount < foreignAnswerLimit: .foreign
        default: .refused(problem)
        }
    }
}
