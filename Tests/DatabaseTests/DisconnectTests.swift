import Access
import Database
import TestSupport
import Testing
import Tree

@Suite("What clients leave for the end of their connections", .timeLimit(.minutes(30)))
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

    @Test("It is written when the connection ends, in its order, and not before")
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

    @Test("It is written once, however many times and by how many at once the end is noticed")
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

    @Test("What the process before has left is written by the next one, and nothing of its own")
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

    @Test("It is taken back at a path and below it, not above and beside it")
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
        "Of an update it is taken back what it writes at a path and below it",
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

    @Test("It is judged when it is left and when it is written, as who left it")
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
            // As who it was left by, also after another start.
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
        "What nobody can write is refused when it is left",
        arguments: ["nonsense", #"{"a":{".sv":"unknown"}}"#, "\"\(String(repeating: "x", count: 300_000))\"", ""])
    func refused(json: String) async throws {
        try await withDatabase { fixture in
            #expect(await outcome { try await leave("a", json, in: fixture.stranger) } != "done")
            try await fixture.database.endConnection(Self.one)
            #expect(try await fixture.tree.get(.root) == nil)
        }
    }
}
