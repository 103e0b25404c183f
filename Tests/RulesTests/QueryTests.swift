import Testing
import TreeModel

@testable import Rules

@Suite struct QueryTests {
    @Test("rules see the parameters of a query of the tree")
    func conversion() throws {
        let page = RulesQuery(try TreeQuery(order: .key, from: TreeQuery.Bound("a"), limit: .first(3)))
        #expect(page.order == .key && page.startAt == .string("a") && page.endAt == .null && page.equalTo == .null)
        #expect(page.limitToFirst == 3 && page.limitToLast == nil)
        let mine = RulesQuery(
            try TreeQuery(order: .child("author/uid"), equalTo: TreeQuery.Bound("bob"), limit: .last(2)))
        #expect(mine.order == .child("author/uid") && mine.equalTo == .string("bob") && mine.startAt == .null)
        #expect(mine.limitToFirst == nil && mine.limitToLast == 2)
        let range = RulesQuery(try TreeQuery(order: .value, from: TreeQuery.Bound(true), to: TreeQuery.Bound(5)))
        #expect(range.order == .value && range.startAt == .bool(true) && range.endAt == .number(5))
        let several = RulesQuery(try TreeQuery(order: .children(["a/b", "c"])))
        #expect(several.order == .child("a/b"))
        #expect(RulesQuery(try TreeQuery()).order == .priority)
        #expect(RulesScalar(["a": 1]) == .object && RulesScalar(0.5) == .number(0.5))
    }
}
