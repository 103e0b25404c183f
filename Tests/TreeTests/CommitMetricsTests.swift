import Metering
import TestSupport
import Testing

@testable import Tree

@Suite("The metrics of commits", .timeLimit(.minutes(10)))
struct CommitMetricsTests {
    @Test("Each update is counted in its group, and each transaction is timed", arguments: EngineKind.allCases)
    func groups(kind: EngineKind) async throws {
        try await withEngine(kind) { engine in
            let registry = MetricsRegistry()
            let store = try await TreeStore(engine: engine, isMaintained: false, metrics: registry)
            await withTaskGroup { group in
                for index in 0..<100 {
                    group.addTask {
                        _ = try? await store.set(TreePath(["a", TreeKey("k\(index)")]), to: .integer(1))
                    }
                }
            }
            // A refused update takes part in its group, too.
            await expectCode(.preconditionFailed) {
                try await store.set("a/k0", to: .integer(2), if: [.absent("a/k0")])
            }
            let statistics = store.statistics
            let scrape = try Scrape(registry.text)
            #expect(statistics.updates == 100)
            #expect(scrape.value("tintype_tree_group_updates_sum") == 101)
            #expect(scrape.value("tintype_tree_group_wait_seconds_count") == 101)
            let transactions = Double(statistics.transactions + 1)
            for name in ["tintype_tree_group_updates", "tintype_tree_apply_seconds", "tintype_tree_sync_seconds"] {
                #expect(scrape.value("\(name)_count") == transactions, "\(name)")
            }
            let largest = scrape.samples("tintype_tree_group_updates_bucket").first { $0.value == transactions }
            let bound = try #require(largest?.labels["le"].flatMap { Int($0) })
            #expect(bound >= statistics.largestGroup && bound < 2 * statistics.largestGroup)
            await store.close()
        }
    }
}

extension MetricsRegistry {
    /// All metrics, in the format of a scrape.
    fileprivate var text: String {
        var text = Exposition()
        write(to: &text)
        return text.text
    }
}
