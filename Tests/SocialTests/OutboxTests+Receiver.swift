import API
import Foundation
import Synchronization

@testable import Social

extension OutboxTests {
    /// A receiver of deliveries, which records them.
    final class Receiver: Sendable {
        struct Refusal: Error, CustomStringConvertible {
            let description = "refused"
        }

        private struct State {
            var taken: [DeliveryDocument] = []
            var tries = 0
            var ends: [OutboxWorker.Outcome] = []
            var isRefusing: @Sendable (DeliveryDocument) -> Bool = { _ in false }
        }

        private let state = Mutex(State())

        var taken: [DeliveryDocument] { state.withLock { $0.taken } }
        var tries: Int { state.withLock { $0.tries } }

        var ends: [OutboxWorker.Outcome] { state.withLock { $0.ends } }

        func end(_ outcome: OutboxWorker.Outcome) { state.withLock { $0.ends.append(outcome) } }

        func refuse(_ isRefusing: @escaping @Sendable (DeliveryDocument) -> Bool) {
            state.withLock { $0.isRefusing = isRefusing }
        }

        func take(_ json: [UInt8]) throws {
            let document = try DeliveryDocument(json: Data(json))
            try state.withLock { state in
                state.tries += 1
                guard !state.isRefusing(document) else { throw Refusal() }
                state.taken.append(document)
            }
        }

        /// The recipient and content of each delivery, in order.
        var lines: [String] { taken.map { "\($0.to ?? "all") \($0.kind) \($0.actor?.uid ?? "-")" } }
    }
}
