import Logging

/// Creates codes and delivers them, a limited number at a time.
///
/// Requests of clients are performed in the background, so that the response for an address without an account takes as
/// long as that for one with an account.
final class CodeSender: Sendable {
    /// The largest number of waiting messages.
    private static let maxWaiting = 1_000
    /// The largest number of concurrent deliveries.
    private static let maxRunning = 4
    /// The time after which a delivery is cancelled.
    private static let maxDuration: Duration = .seconds(30)

    private enum Work: Sendable {
        /// A code that is created and sent.
        case code(CodeOrder)
        /// A finished message.
        case message(AccountMessage)
    }

    private enum Step: Sendable {
        case send(Work)
        case tell(CheckedContinuation<Void, Never>)
    }

    private let maker: CodeMaker
    private let hasDelivery: Bool
    private let steps: AsyncStream<Step>.Continuation
    private let worker: Task<Void, Never>

    /// - Parameter delivery: Delivers messages; nil if they cannot be sent.
    init(maker: CodeMaker, delivery: CodeDelivery?, logger: Logger) {
        self.maker = maker
        hasDelivery = delivery != nil
        let (stream, steps) = AsyncStream.makeStream(of: Step.self, bufferingPolicy: .bufferingOldest(Self.maxWaiting))
        self.steps = steps
        worker = Task {
            await withTaskGroup(of: Void.self) { running in
                var count = 0
                for await step in stream {
                    switch step {
                    case .send(let work):
                        if count == Self.maxRunning {
                            await running.next()
                            count -= 1
                        }
                        count += 1
                        running.addTask { await Self.carryOut(work, by: maker, delivery, logger) }
                    case .tell(let continuation):
                        await running.waitForAll()
                        count = 0
                        continuation.resume()
                    }
                }
            }
        }
    }

    deinit { steps.finish() }

    /// Whether codes can be sent.
    var canSend: Bool { hasDelivery || maker.settings.isEmulator }

    /// The service as messages name it at present.
    var site: AccountMessage.Site { maker.site() }

    /// Enqueues a code to be created and sent.
    ///
    /// - Throws: The error of a busy service when too many wait.
    func send(_ order: CodeOrder) throws(IdentityError) { try send(.code(order)) }

    /// Enqueues a finished message.
    ///
    /// - Throws: The error of a busy service when too many wait.
    func send(_ message: AccountMessage) throws(IdentityError) { try send(.message(message)) }

    private func send(_ work: Work) throws(IdentityError) {
        guard case .enqueued = steps.yield(.send(work)) else { throw .unavailable(reason: "too many messages wait") }
    }

    /// Creates a code without sending it: for an administrator who requests the link.
    ///
    /// - Returns: nil if the required account with the address does not exist.
    func make(_ order: CodeOrder) async throws(IdentityError) -> AccountMessage? { try await maker.make(order) }

    /// Waits until all earlier orders have been processed.
    func drain() async {
        await withCheckedContinuation { continuation in
            guard case .enqueued = steps.yield(.tell(continuation)) else { return continuation.resume() }
        }
    }

    /// Delivers a message, after creating its code if it has none yet; logs failures.
    private static func carryOut(
        _ work: Work, by maker: CodeMaker, _ delivery: CodeDelivery?, _ logger: Logger
    ) async {
        let kind: String
        switch work {
        case .code(let order): kind = order.kind.rawValue
        case .message(let message): kind = message.kind
        }
        do {
            let message: AccountMessage? =
                switch work {
                case .code(let order): try await maker.make(order)
                case .message(let message): message
                }
            guard let message, let delivery else { return }
            try await withThrowingTaskGroup(of: Void.self) { parts in
                parts.addTask { try await delivery(message) }
                parts.addTask {
                    try await Task.sleep(for: maxDuration)
                    throw DeliveryFailure("the delivery took longer than 30 seconds")
                }
                defer { parts.cancelAll() }
                try await parts.next()
            }
        } catch {
            // The log contains neither the code nor the address.
            let fault = (error as? DeliveryFailure)?.description ?? "\(type(of: error))"
            logger.error("a message with a code was not sent", metadata: ["kind": "\(kind)", "fault": "\(fault)"])
        }
    }
}
