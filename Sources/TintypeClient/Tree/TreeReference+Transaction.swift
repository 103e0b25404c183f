public import TintypeModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension TreeReference {
    /// The number of times that a transaction is attempted while others change the value.
    static var maxAttempts: Int { 25 }
    /// The number of times that one write is sent while its answers are lost.
    private static var maxSendings: Int { 4 }

    /// Changes the value, so that no change of others is lost: reads it, lets the closure change it, and writes it if it
    /// is still the same; otherwise all of it is repeated with the newer value, 25 times at most.
    ///
    /// A write whose answer is lost is sent again a few times, and is carried out once.
    ///
    /// - Parameter change: Changes the value; `null` deletes it. It may be called several times. Nothing is written if
    ///   it changes nothing, or if it throws.
    /// - Returns: The value after the transaction.
    /// - Throws: The error of the closure; `ConditionFailed` if others changed the value each time.
    @discardableResult
    public func transaction(_ change: (inout JSONValue) throws -> Void) async throws -> Answer<JSONValue> {
        var present = try await value()
        for attempt in 1... {
            var value = present.value
            try change(&value)
            guard value != present.value else { break }
            let etag = present.etag ?? ConditionFailed.absent
            do {
                return try await answered(replacement(value, ifMatch: etag, UUID().uuidString))
            } catch ConditionFailed.value(let newer, let etag) where attempt < Self.maxAttempts {
                present = Answer(newer, etag: etag)
            }
        }
        return present
    }

    /// Sends a write with an idempotency key until there is an answer.
    private func answered(_ request: ServiceRequest) async throws -> Answer<JSONValue> {
        for failures in 0..<Self.maxSendings - 1 {
            do { return try await answer(to: request) } catch let error as TransportError where error.isTransient {
                try await client.clock.sleep(for: Backoff.wait(afterFailures: failures))
            } catch let problem as Problem where problem.isTransient {
                try await client.clock.sleep(for: problem.retryAfter ?? Backoff.wait(afterFailures: failures))
            }
        }
        return try await answer(to: request)
    }
}
