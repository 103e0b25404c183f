import TintypeModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A write of the outbox.
struct QueuedWrite: Codable, Hashable, Sendable {
    /// The number by which writes are in the order in which they were made.
    let number: Int64
    /// The time at which it was made, by the device's clock.
    let date: Date
    /// The key by which the service recognises the same write.
    var key: String
    var write: Write
    var state = State.queued
    /// Whether it may have reached the service.
    var isAttempted = false
    /// The number of attempts that failed although the service answered.
    var failureCount = 0
    /// The number of answers by others than the service, such as a proxy.
    var foreignCount = 0

    enum State: Codable, Hashable, Sendable {
        /// It must be sent.
        case queued
        /// The service has carried it out, with the change of this number. The result, if there is one, is the entity
        /// as the service answered.
        case sent(Int64?, result: JSONValue?)
        /// The service has refused it. It waits for the person.
        case refused(Refusal)
        /// Somebody else has changed the same, to this. It waits for the person.
        case conflict(JSONValue)
    }

    /// Why the service has refused a write.
    struct Refusal: Codable, Hashable, Sendable {
        let status: Int
        let code: Problem.Code
        let message: String
        let hint: String

        init(_ problem: Problem) {
            (status, code, message, hint) = (problem.status, problem.code, problem.message, problem.hint)
        }

        var problem: Problem { Problem(code, status: status, message: message, hint: hint) }
    }

    init(number: Int64, date: Date, write: Write, key: String) {
        (self.number, self.date, self.write, self.key) = (number, date, write, key)
    }

    /// Lets it be sent, also if it was refused.
    mutating func queueAgain() {
        state = .queued
        (failureCount, foreignCount) = (0, 0)
    }

    /// Whether it must be sent.
    var isQueued: Bool { state == .queued }
    /// Whether it changes what people see: it was not refused, and is not part of a conflict.
    var isShown: Bool {
        switch state {
        case .queued, .sent: true
        case .refused, .conflict: false
        }
    }
}
