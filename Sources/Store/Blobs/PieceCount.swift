import Synchronization

/// A number of bytes that one reader counts, from any thread.
final class PieceCount: Sendable {
    private let count: Atomic<Int>

    init(_ value: Int) { count = Atomic(value) }

    var value: Int { count.load(ordering: .relaxed) }

    func subtract(_ amount: Int) { count.subtract(amount, ordering: .relaxed) }
}
