import Model
import TestSupport
import Testing
import Tree

@testable import Social

@Suite("The record of a request")
struct RequestKeyTests {
    @Test("With a record, a deletion still frees space; a write and a request without effect do not")
    func makesRoom() throws {
        let key = try RequestKey("one", of: UserID("ann"), for: ["x"])
        let deletion: @Sendable (inout MultiPathUpdate) -> Void = { $0["a"] = nil }
        let rows: [(change: @Sendable (inout MultiPathUpdate) -> Void, makesRoom: Bool)] = [
            (deletion, true), ({ $0["a"] = 1 }, false), ({ _ in }, false), ({ $0.set("a", to: .timestamp) }, false),
            (
                {
                    $0["a"] = nil
                    $0["b"] = 1
                }, false
            ),
            (
                {
                    $0["a"] = nil
                    $0.set("b", to: .timestamp)
                }, false
            ),
        ]
        for (number, row) in rows.enumerated() {
            var update = MultiPathUpdate()
            row.change(&update)
            let count = update.values.count
            key.note(in: &update)
            #expect(update.makesRoom == row.makesRoom, "\(number)")
            #expect(update.values.count == count + 2)
        }
    }
}
