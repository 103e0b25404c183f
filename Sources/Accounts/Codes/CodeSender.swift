import Logging

/// Makes codes, and hands them to what sends them, one after the other.
///
/// What clients ask for is done behind their backs: the answer for an address without an account comes as soon as that
/// for one with an account.
final class CodeSender: Sendable {
    /// The most messages that wait.
    private static let maxWaiting = 1_000

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
            for await step in stream {
                switch step {
                case .send(let order): await Self.carryOut(order, by: maker, delivery, logger)
                case .tell(let continuation): continuation.resume()
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
        guard case .enqueued = steps.yield(.send(order)) else { throw .unavailable() }
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

    private static func carryOut(
        _ order: CodeOrder, by maker: CodeMaker, _ delivery: CodeDelivery?, _ logger: Logger
    ) async {
        do {
            if let message = try await maker.make(order) { try await delivery?(message) }
        } catch {
            // Neither the code nor the address.
            logger.error("a message with a code was not sent", metadata: ["kind": "\(order.kind.rawValue)"])
        }
    }
}
