import Logging

/// Makes codes, and hands them to what sends them, some at a time.
///
/// What clients ask for is done behind their backs: the answer for an address without an account comes as soon as that
/// for one with an account.
final class CodeSender: Sendable {
    /// The most messages that wait.
    private static let maxWaiting = 1_000
    /// The most messages that are handed over at a time.
    private static let maxRunning = 4
    /// The time after which handing a message over is broken off.
    private static let maxDuration: Duration = .seconds(30)

    private enum Step: Sendable {
        case send(CodeOrder)
        case tell(CheckedContinuation<Void, Never>)
    }

    private let maker: CodeMaker
    private let hasDelivery: Bool
    private let steps: AsyncStream<Step>.Continuation
    private let worker: Task<Void, Never>

    /// - Parameter delivery: What sends messages; nil when there is nothing that does.
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
                    case .send(let order):
                        if count == Self.maxRunning {
                            await running.next()
                            count -= 1
                        }
                        count += 1
                        running.addTask { await Self.carryOut(order, by: maker, delivery, logger) }
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

    /// Whether there is a way to send codes.
    var canSend: Bool { hasDelivery || maker.settings.isEmulator }

    /// Has a code made and sent.
    ///
    /// - Throws: The error of a busy service when too many wait.
    func send(_ order: CodeOrder) throws(IdentityError) {
        guard case .enqueued = steps.yield(.send(order)) else { throw .unavailable(reason: "too many messages wait") }
    }

    /// Makes a code at once, and sends it to nobody: for an administrator, who asks for the link.
    ///
    /// - Returns: nil when there is no account with the address, and there has to be one.
    func make(_ order: CodeOrder) async throws(IdentityError) -> AccountMessage? { try await maker.make(order) }

    /// Waits until all that was ordered before is done.
    func drain() async {
        await withCheckedContinuation { continuation in
            guard case .enqueued = steps.yield(.tell(continuation)) else { return continuation.resume() }
        }
    }

    /// Makes a code and hands its message over; what fails is logged.
    private static func carryOut(
        _ order: CodeOrder, by maker: CodeMaker, _ delivery: CodeDelivery?, _ logger: Logger
    ) async {
        do {
            guard let message = try await maker.make(order), let delivery else { return }
            try await withThrowingTaskGroup(of: Void.self) { parts in
                parts.addTask { try await delivery(message) }
                parts.addTask {
                    try await Task.sleep(for: maxDuration)
                    throw DeliveryFailure("it took longer than 30 seconds")
                }
                defer { parts.cancelAll() }
                try await parts.next()
            }
        } catch {
            // Neither the code nor the address.
            let fault = (error as? DeliveryFailure)?.description ?? "\(type(of: error))"
            logger.error(
                "a message with a code was not sent", metadata: ["kind": "\(order.kind.rawValue)", "fault": "\(fault)"])
        }
    }
}
