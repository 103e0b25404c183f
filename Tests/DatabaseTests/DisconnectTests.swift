import Access
import Database
import TestSupport
import Testing
import Tree

@Suite("Writes for the end of a connection", .timeLimit(.minutes(20)))
struct DisconnectTests {
    private static let one: TreeKey = "one"
    private static let other: TreeKey = "other"

    private func leave(
        _ path: TreePath, _ json: String, as form: DisconnectOperation.Form = .set, of connection: TreeKey = one,
        in session: DatabaseSession
    ) async throws {
        try await session.onDisconnect(
            DisconnectOperation(form, at: DatabasePath(path), json: Array(json.utf8)), of: connection)
    }

    @Test("They are applied when the connection ends, in their order, and not before")
    func written() async throws {
        try await withDatabase { fixture in
            let session = fixture.stranger
            try await leave("a", "1", in: session)
            try await leave("b", #"{"c/d":2,"e":null}"#, as: .update, in: session)
            try await leave("a", "3", in: session)
            try await leave("x", "9", of: Self.other, in: session)
            #expect(try await fixture.tree.get(.root) == nil)
            try await fixture.database.endConnection(Self.one)
            #expect(try await fixture.tree.get("a") == 3)
            #expect(try await fixture.tree.get("b/c/d") == 2)
            #expect(try await fixture.tree.get("x") == nil, "the other connection is there still")
        }
    }

    @Test("They are applied once, however often and by how many tasks the end is noticed")
    func once() async throws {
        try await withDatabase { fixture in
            for number in 0..<20 {
                try await leave(try TreePath("n/\(number % 4)"), #"{".sv":{"increment":1}}"#, in: fixture.stranger)
            }
            try await withThrowingTaskGroup { group in
                for _ in 0..<8 { group.addTask { try await fixture.database.endConnection(Self.one) } }
                try await group.waitForAll()
            }
            fixture.database.endConnectionSoon(Self.one)
            await fixture.database.waitForEndedConnections()
            #expect(try await fixture.tree.get("n") == ["0": 5, "1": 5, "2": 5, "3": 5])
        }
    }

    @Test("The writes of the process before are applied by the next one, and none of its own")
    func afterCrash() async throws {
        try await withDatabase { fixture in
            try await leave("gone", #"{".sv":"timestamp"}"#, in: fixture.stranger)
            let next = fixture.reopened()
            try await leave("mine", "1", in: next.session(as: .anonymous))
            await next.endLeftConnections()
            #expect(try await fixture.tree.get("gone")?.integerValue ?? 0 > 1_700_000_000_000)
            #expect(try await fixture.tree.get("mine") == nil)
        }
    }

    @Test("They are cancelled at a path and below it, not above and beside it")
    func cancelled() async throws {
        try await withDatabase { fixture in
            let session = fixture.stranger
            for path in ["a", "a/b", "a/b/c", "a/bc"] as [TreePath] { try await leave(path, "{\"x\":1}", in: session) }
            try await session.cancelOnDisconnect(at: DatabasePath("a/b"), of: Self.one)
            try await fixture.database.endConnection(Self.one)
            #expect(try await fixture.tree.get("a") == ["x": 1, "bc": ["x": 1]])
        }
    }

    @Test(
        "A cancelled path removes the parts of an update at it and below it",
        arguments: [
            ("u/a", ["b": ["c": 2], "d": 3] as TreeValue), ("u/b", ["a": ["x": 1], "d": 3]),
            ("u/b/c", ["a": ["x": 1], "d": 3]), ("u/b/z", ["a": ["x": 1], "b": ["c": 2], "d": 3]), ("u", nil),
            ("v", nil),
        ] as [(TreePath, TreeValue?)])
    func partlyCancelled(path: TreePath, left: TreeValue?) async throws {
        try await withDatabase { fixture in
            try await leave("u", #"{"a/x":1,"b/c":2,"d":3}"#, as: .update, in: fixture.stranger)
            try await fixture.stranger.cancelOnDisconnect(at: DatabasePath(path), of: Self.one)
            try await fixture.database.endConnection(Self.one)
            let all: TreeValue = ["a": ["x": 1], "b": ["c": 2], "d": 3]
            #expect(try await fixture.tree.get("u") == (path == "v" ? all : left))
        }
    }

    @Test("They are checked when they are left and when they are applied, with the identity of their author")
    func judged() async throws {
        try await withDatabase(isOpenWithoutRules: false) { fixture in
            let rules = """
                {"rules":{"presence":{"$uid":{".write":"auth.uid == $uid && !root.child('closed').exists()"}}}}
                """
            try await fixture.tree.setRules(rules, of: .main)
            let auth: JSONValue = ["uid": "maria", "token": [:]]
            let maria = fixture.database.session(as: .user(User(uid: "maria", auth: auth)))
            let refusal = await outcome { try await leave("presence/tom", "0", in: maria) }
            #expect(refusal == "permission_denied")
            #expect(
                await outcome { try await leave("presence/maria", "0", in: fixture.stranger) } == "permission_denied")
            try await leave("presence/maria", "0", in: maria)
            // With the identity of the author, also after another start.
            await fixture.reopened().endLeftConnections()
            #expect(try await fixture.tree.get("presence/maria") == 0)

            try await leave("presence/maria", "1", in: maria)
            try await fixture.tree.set("closed", to: true)
            try await fixture.database.endConnection(Self.one)
            #expect(try await fixture.tree.get("presence/maria") == 0, "the rules do not allow it any more")
            try await fixture.tree.set("closed", to: nil)
            try await fixture.database.endConnection(Self.one)
            #expect(try await fixture.tree.get("presence/maria") == 0, "it was due once")
        }
    }

    @Test(
        "An invalid write is refused when it is left",
        arguments: ["nonsense", #"{"a":{".sv":"unknown"}}"#, "\"\(String(repeating: "x", count: 300_000))\"", ""])
    func refused(json: String) async throws {
        try await withDatabase { fixture in
            #expect(await outcome { try await leave("a", json, in: fixture.stranger) } != "done")
            try await fixture.database.endConnection(Self.one)
            #expect(try await fixture.tree.get(.root) == nil)
        }
    }
}
