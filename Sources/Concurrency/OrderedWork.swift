/// Works on items concurrently, and reports the results in the order of the items.
///
/// - Parameter concurrency: The number of items that are worked on at the same time.
/// - Throws: The first error of `work` or `report`; the work on the other items is then cancelled.
package func forEachConcurrently<Item: Sendable, Result: Sendable>(
    _ items: [Item], concurrency: Int, _ work: @escaping @Sendable (Item) async throws -> Result,
    _ report: (Result) async throws -> Void
) async throws {
    try await withThrowingTaskGroup(of: (Int, Result).self) { group in
        var started = 0
        func start() {
            guard started < items.count else { return }
            let (index, item) = (started, items[started])
            started += 1
            group.addTask { (index, try await work(item)) }
        }
        for _ in 0..<concurrency { start() }
        var waiting: [Int: Result] = [:]
        var next = 0
        while let (index, result) = try await group.next() {
            start()
            waiting[index] = result
            while let result = waiting.removeValue(forKey: next) {
                next += 1
                try await report(result)
            }
        }
    }
}
