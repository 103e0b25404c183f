import TestSupport
import Testing

@testable import Tree

@Suite("A query listener", .timeLimit(.minutes(20))) struct QueryListenTests {
    private static let rules = #"{"rules":{"list":{".indexOn":["x",".value"]}}}"#

    @Test("receives each commit as one event, however close together the commits are", arguments: EngineKind.allCases)
    func eachCommit(kind: EngineKind) async throws {
        try await withStore(kind) { store in
            let recorder = Recorder()
            let newest = try TreeQuery(order: .key, limit: .last(1))
            let start = try await store.listen(at: "list", matching: newest, notifying: recorder)
            for number in 0..<50 {
                try await store.set(try TreePath("list/k\(number + 10)"), to: .integer(Int64(number)))
            }
            await CollectionOfOne(start.listener).waitForEvents(in: store)
            let pushes = (1..<50).map { #"patch / {"k\#($0 + 9)":null,"k\#($0 + 10)":\#($0)}"# }
            #expect(recorder.texts(for: start) == [#"put / {"k10":0}"#] + pushes)
        }
    }

    @Test("receives the present value when more changes wait than are kept")
    func largeChanges() async throws {
        try await withStore(.memory) { store in
            let recorder = Recorder()
            let newest = try TreeQuery(order: .key, limit: .last(1))
            let start = try await store.listen(at: "list", matching: newest, notifying: recorder)
            // Larger than a window that is followed, and than all that may wait.
            let text = String(repeating: "t", count: 5 << 20)
            try await store.set("list/a", to: .string(text))
            try await store.set("list/b", to: 1)
            await CollectionOfOne(start.listener).waitForEvents(in: store)
            #expect(recorder.texts(for: start).last?.hasSuffix(#""b":1}"#) == true)
        }
    }

    static let queries: [TreeQuery?] = [
        try? TreeQuery(order: .key), try? TreeQuery(order: .key, limit: .first(2)),
        try? TreeQuery(order: .key, limit: .last(2)),
        try? TreeQuery(order: .key, from: .init("b"), to: .init("d"), limit: .last(2)),
        try? TreeQuery(order: .value), try? TreeQuery(order: .value, limit: .last(3)),
        try? TreeQuery(order: .value, from: .init(2), limit: .first(2)),
        try? TreeQuery(order: .child("x")), try? TreeQuery(order: .child("x"), limit: .first(2)),
        try? TreeQuery(order: .child("x"), from: .init(2), to: .init(5)),
        try? TreeQuery(order: .child("x"), from: .init(1), limit: .last(2), isDescending: true),
        try? TreeQuery(order: .priority, limit: .last(2)),
    ]

    @Test("has the query's result at each commit after that commit's event", arguments: queries)
    func views(query: TreeQuery?) async throws {
        let query = try #require(query)
        try await withStore(.memory) { store in
            try await store.setRules(Self.rules, of: .main)
            try await store.set("list", to: ["b": ["x": 1, "y": 1], "d": 2, "f": ["x": 3]])
            let recorder = Recorder()
            let start = try await store.listen(at: "list", matching: query, notifying: recorder)
            var states: [SyncToken: TreeValue?] = [:]
            var random = SeededGenerator(seed: 35)
            for _ in 0..<300 {
                try await store.update(try Self.update(&random))
                let (token, value) = try await store.read { snapshot throws(TreeError) in
                    let window = try snapshot.window(of: "list", matching: query)
                    var members: [TreeKey: TreeValue] = [:]
                    for child in window.children { members[child.key] = try child.value() }
                    let leaf = try window.leaf?.value(below: [])
                    return (try snapshot.token, leaf ?? (members.isEmpty ? nil : .object(members)))
                }
                states[token] = .some(value)
            }
            await CollectionOfOne(start.listener).waitForEvents(in: store)
            let last = try #require(states.max { $0.key < $1.key })
            #expect(try await Self.play(recorder.events(for: start), from: start, states) == last.value)
        }
    }

    /// Returns a write of a child, of a node below it, of its priority, of several children or of the whole list.
    private static func update(_ random: inout SeededGenerator) throws -> JSONUpdate {
        let number = Int.random(in: 0..<7, using: &random)
        let key = ["a", "b", "c", "d", "e", "f"].randomElement(using: &random) ?? "a"
        let (form, path, text): (JSONUpdate.Form, String, String) =
            switch Int.random(in: 0..<12, using: &random) {
            case 0, 1: (.value, "list/\(key)", "\(number)")
            case 2, 3: (.value, "list/\(key)", #"{"x":\#(number),"y":{"z":1}}"#)
            case 4: (.value, "list/\(key)", #"{".priority":\#(number),".value":\#(number)}"#)
            case 5: (.value, "list/\(key)", "null")
            case 6: (.value, "list/\(key)/x", "\(number)")
            case 7: (.value, "list/\(key)/x", "null")
            case 8: (.value, "list/\(key)/y/z", number < 3 ? "null" : "\(number)")
            case 9: (.priority, "list/\(key)", number < 3 ? "null" : "\(number)")
            case 10: (.update, "list", #"{"a":\#(number),"b/y":\#(number),"c":null}"#)
            default: (.value, "list", number == 0 ? "5" : number == 1 ? "null" : #"{"b":{"x":2},"e":\#(number)}"#)
            }
        return try JSONUpdate(form, at: try TreePath(path), json: text.utf8)
    }

    /// Applies the events as a client does, and compares its state after each event with the state of that commit.
    ///
    /// - Returns: The final state of the client.
    private static func play(
        _ events: [TreeEvent], from start: Start, _ states: [SyncToken: TreeValue?]
    ) async throws -> TreeValue? {
        try await withStore(.memory) { client in
            try await client.update(try JSONUpdate(.value, at: "", json: start.json.utf8))
            for event in events {
                let path = try TreePath(String(decoding: event.path.dropFirst(), as: UTF8.self))
                let form: JSONUpdate.Form = event.kind == .put ? .value : .update
                try await client.update(try JSONUpdate(form, at: path, json: event.data))
                let state = try #require(states[event.token])
                #expect(try await client.get("") == state, "\(event)")
            }
            return try await client.get("")
        }
    }
}
