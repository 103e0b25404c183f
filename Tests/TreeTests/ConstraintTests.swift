import TestSupport
import Testing

@testable import Tree

@Suite("Every update meets the constraints of a store", .timeLimit(.minutes(20)))
struct ConstraintTests {
    /// A constraint: a person must have been invited under this name, and cannot become another person.
    private struct Invited: Constraint {
        let place = TreePattern("rooms/*/people/*/name")
        let reason = "they were not invited"

        func allows(_ name: ChangedNode, in snapshot: TreeSnapshot) throws(TreeError) -> Bool {
            guard name.before != name.after else { return true }
            guard case .leaf(let value) = name.after else { return false }
            return try snapshot.get(TreePath(["invited", name.keys[0], name.keys[1]])) == value
        }
    }

    private func withStore(_ body: (TreeStore) async throws -> Void) async throws {
        let store = try await TreeStore(
            engine: MemoryEngine(), constraints: [Invited()], isMaintained: false, minRowsOfLargeWrite: 50)
        try await store.set(
            .root,
            to: ["invited": ["r": ["a": "Ann", "b": "Bo"], "s": ["c": "Cy"]], "rooms": ["r": ["people": ["x": 1]]]])
        try await store.set("rooms/r/people/a", to: ["name": "Ann", "age": 7])
        try await body(store)
        await store.close()
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let writes: [String: TreeValue?]
        /// The path at which the update is refused; nil for none.
        var refusal: TreePath?
        /// Whether the update writes nothing else, so that it may be staged.
        var isAlone = false
        var testDescription: String { name }
    }

    /// Too many people in a room to be written at once with the others.
    private static let many = TreeValue.object(
        Dictionary(uniqueKeysWithValues: (0..<60).map { (TreeKey(unchecked: "n\($0)"), ["age": .integer(Int64($0))]) }))

    static let cases = [
        Case(name: "an invited one", writes: ["rooms/r/people/b/name": "Bo"]),
        Case(name: "another name", writes: ["rooms/r/people/b/name": "Eve"], refusal: "rooms/r/people/b/name"),
        Case(name: "one nobody knows", writes: ["rooms/r/people/e": ["name": "Eve"]], refusal: "rooms/r/people/e/name"),
        Case(name: "a new name", writes: ["rooms/r/people/a/name": "Eve"], refusal: "rooms/r/people/a/name"),
        Case(name: "the same name", writes: ["rooms/r/people/a/name": "Ann"]),
        Case(name: "something else of a person", writes: ["rooms/r/people/a/age": 8]),
        Case(name: "no name", writes: ["rooms/r/people/a/name": nil]),
        Case(name: "nobody", writes: ["rooms": nil]),
        Case(name: "a leaf above", writes: ["rooms/r": 5]),
        Case(
            name: "an object as name", writes: ["rooms/r/people/b/name": ["x": "Bo"]],
            refusal: "rooms/r/people/b/name"),
        Case(
            name: "below the name", writes: ["rooms/r/people/b/name/x/y": "Bo"], refusal: "rooms/r/people/b/name"),
        Case(
            name: "two of whom one is invited",
            writes: ["rooms/r/people/b/name": "Bo", "rooms/r/people/e/name": "Eve"],
            refusal: "rooms/r/people/e/name"),
        Case(
            name: "invited by the same update", writes: ["invited/r/e": "Eve", "rooms/r/people/e/name": "Eve"],
            refusal: "rooms/r/people/e/name"),
        Case(
            name: "all rooms",
            writes: [
                "rooms": ["r": ["people": ["b": ["age": 1, "name": "Bo"]]], "s": ["people": ["c": ["name": "Cy"]]]]
            ]),
        Case(
            name: "all rooms with a stranger",
            writes: ["rooms": ["r": ["people": ["b": ["name": "Bo"]]], "s": ["people": ["c": ["name": "Bo"]]]]],
            refusal: "rooms/s/people/c/name"),
        Case(
            name: "everything with a stranger", writes: ["": ["rooms": ["r": ["people": ["e": ["name": "Eve"]]]]]],
            refusal: "rooms/r/people/e/name", isAlone: true),
        Case(name: "many", writes: ["rooms/r/people": many], isAlone: true),
        Case(
            name: "many in a place of their own, and a stranger",
            writes: ["rooms/q": ["people": ["e": ["name": "Eve"]], "things": many]],
            refusal: "rooms/q/people/e/name", isAlone: true),
        Case(name: "another tree", writes: ["room/r/people/e/name": "Eve"]),
    ]

    @Test("An update that breaks a constraint is refused as a whole, and the error contains the path", arguments: cases)
    func judged(_ row: Case) async throws {
        try await withStore { store in
            let before = try await store.get(.root)
            var update = MultiPathUpdate()
            for (path, value) in row.writes { update[try TreePath(path)] = value }
            if !row.isAlone { update["beside"] = 1 }
            guard let refusal = row.refusal else {
                try await store.update(update)
                #expect(try await store.get(.root) != before)
                return
            }
            let error = await #expect(throws: TreeError.self) { try await store.update(update) }
            #expect(error?.code == .invalidValue && error?.path == refusal)
            #expect(error?.message == "\(refusal): they were not invited")
            #expect(try await store.get(.root) == before)
        }
    }

    /// A constraint that counts its evaluations.
    private struct Counting: Constraint {
        let place = TreePattern("rooms/*")
        let reason = "never"
        let asked: Shared<Int>

        func allows(_ room: ChangedNode, in snapshot: TreeSnapshot) -> Bool {
            asked.change { $0 += 1 }
            return true
        }
    }

    @Test("Each node is judged once, however much of it an update writes, and at whichever paths")
    func once() async throws {
        let asked = Shared(0)
        let store = try await TreeStore(
            engine: MemoryEngine(), constraints: [Counting(asked: asked)], isMaintained: false)
        var update = MultiPathUpdate()
        for number in 0..<20_000 {
            update["rooms/r/people" / TreeKey(unchecked: "n\(number)")] = .integer(Int64(number))
        }
        update["rooms/s/name"] = "S"
        try await store.update(update)
        #expect(asked.value == 2)
        let rooms = try #require(try await store.get("rooms"))
        try await store.set(.root, to: ["rooms": rooms, "more": 1])
        #expect(asked.value == 4)
        await store.close()
    }

    @Test("A refused update does not affect the others in its transaction")
    func group() async throws {
        try await withStore { store in
            await withTaskGroup(of: Void.self) { tasks in
                for number in 0..<40 {
                    tasks.addTask {
                        let own = TreePath(["numbers", TreeKey(unchecked: "\(number)")])
                        let path = number % 2 == 0 ? "rooms/r/people/e/name" : own
                        _ = try? await store.set(path, to: .integer(Int64(number)))
                    }
                }
            }
            let numbers = try await store.get("numbers")
            #expect(numbers?.object?.count == 20)
            let stranger = try await store.get("rooms/r/people/e")
            #expect(stranger == nil)
        }
    }
}
