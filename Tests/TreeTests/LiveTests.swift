import Synchronization
import Testing

@testable import Tree

/// Keeps what it is told.
private final class Recorder: LiveOutlet {
    private let state = Mutex<(events: [(LiveEvent, [UInt64])], cancelled: [UInt64], isEnded: Bool)>(([], [], false))

    func send(_ event: LiveEvent, to listeners: [UInt64]) { state.withLock { $0.events.append((event, listeners)) } }
    func end() { state.withLock { $0.isEnded = true } }
    func cancel(_ listeners: [UInt64]) { state.withLock { $0.cancelled += listeners } }

    /// Who has been told anything.
    var ids: Set<UInt64> { state.withLock { Set($0.events.flatMap(\.1)) } }
    var cancelled: [UInt64] { state.withLock { $0.cancelled } }
    var isEnded: Bool { state.withLock { $0.isEnded } }

    /// What a listener has been told after its start, as a client sees it.
    func texts(for start: LiveStart) -> [String] {
        state.withLock { $0.events }
            .filter { $0.1.contains(start.listener) && $0.0.token > start.event.token }
            .map { "\($0.0.kind.rawValue) \(String(decoding: $0.0.json, as: UTF8.self))" }
    }
}

/// A listener and what was there when it began.
private struct LiveStart {
    let listener: UInt64
    let event: LiveEvent
}

extension TreeStore {
    fileprivate func listen(
        at path: TreePath, matching query: TreeQuery? = nil, on outlet: any LiveOutlet,
        maxBytes: Int = maxLiveBytes
    ) async throws(TreeError) -> LiveStart {
        var listener: LiveListener?
        let event = try await listen(at: path, matching: query, on: outlet, maxBytes: maxBytes) { listener = $0 }
        return LiveStart(listener: listener?.id ?? 0, event: event)
    }
}

@Suite(.timeLimit(.minutes(5))) struct LiveTests {
    /// A change and what it is told as at a path; the tree is `{"a":{"b":{"c":1},"d":2},"e":3}` before.
    struct Case: Sendable {
        let form: JSONUpdate.Form
        let path: TreePath
        let text: String
        let watched: TreePath
        let event: String?

        init(_ form: JSONUpdate.Form, _ path: TreePath, _ text: String, at watched: TreePath, _ event: String?) {
            (self.form, self.path, self.text, self.watched, self.event) = (form, path, text, watched, event)
        }
    }

    static let cases = [
        Case(.value, "a", "5", at: "a", #"put {"path":"/","data":5}"#),
        Case(.value, "a/b/c", "5", at: "a", #"put {"path":"/b/c","data":5}"#),
        Case(.value, "a/b/c", "null", at: "", #"put {"path":"/a/b/c","data":null}"#),
        Case(.value, "a", #"{"b":{"c":9}}"#, at: "a/b", #"put {"path":"/","data":{"c":9}}"#),
        Case(.value, "", "null", at: "a/b/c", #"put {"path":"/","data":null}"#),
        Case(.value, "a", #"{"b":{"c":1},"d":7}"#, at: "a/b", nil),
        Case(.value, "a", #"{"d":2,"b":{"c":1.0}}"#, at: "", nil),
        Case(.value, "e", "4", at: "a", nil), Case(.value, "ab", "4", at: "a", nil),
        Case(.value, "a/x", #"[1,null,2]"#, at: "a", #"put {"path":"/x","data":[1,null,2]}"#),
        Case(.update, "a", #"{"d":3,"b/c":4}"#, at: "a", #"patch {"path":"/","data":{"b/c":4,"d":3}}"#),
        Case(.update, "a", #"{"d":3,"b/c":4}"#, at: "", #"patch {"path":"/a","data":{"b/c":4,"d":3}}"#),
        Case(.update, "", #"{"a/d":3,"a/b/c":4,"e":5}"#, at: "a", #"patch {"path":"/","data":{"b/c":4,"d":3}}"#),
        Case(.update, "", #"{"a/d":3,"e":null}"#, at: "e", #"put {"path":"/","data":null}"#),
        Case(.update, "", #"{"a":{"b":7},"e":5}"#, at: "a/b", #"put {"path":"/","data":7}"#),
        Case(.update, "a", #"{"d":2,"b/c":4}"#, at: "a", #"patch {"path":"/","data":{"b/c":4}}"#),
        Case(.update, "a", #"{"d":2}"#, at: "a", nil), Case(.update, "", "{}", at: "", nil),
        Case(.update, "a/b", #"{"é \"":"\n"}"#, at: "a", #"patch {"path":"/b","data":{"é \"":"\n"}}"#),
        Case(.priority, "a", "5", at: "a", #"put {"path":"/","data":{"b":{"c":1},"d":2}}"#),
        Case(.priority, "a/b", "5", at: "", #"put {"path":"/a/b","data":{"c":1}}"#),
        Case(.priority, "a", "5", at: "a/b", nil), Case(.priority, "none", "5", at: "", nil),
        Case(
            .update, "", #"{"a/.priority":1,"a/b/.priority":2,"a/d":5,"e":6}"#, at: "",
            #"patch {"path":"/","data":{"a":{"b":{"c":1},"d":5},"e":6}}"#),
        Case(.update, "a", #"{".priority":1,"d":5}"#, at: "", #"put {"path":"/a","data":{"b":{"c":1},"d":5}}"#),
        Case(.update, "a", #"{".priority":1,"d":5}"#, at: "a/d", #"put {"path":"/","data":5}"#),
        Case(.value, "a/d", #"{".value":2,".priority":1}"#, at: "a/d", #"put {"path":"/","data":2}"#),
        Case(.value, "e", #"{".sv":{"increment":1}}"#, at: "e", #"put {"path":"/","data":4}"#),
    ]

    @Test("a change is told as it is seen from the place", arguments: EngineKind.allCases)
    func words(kind: EngineKind) async throws {
        for `case` in Self.cases {
            try await withStore(kind) { store in
                try await store.set("", to: ["a": ["b": ["c": 1], "d": 2], "e": 3])
                let recorder = Recorder()
                let start = try await store.listen(at: `case`.watched, on: recorder)
                let update = try JSONUpdate(`case`.form, at: `case`.path, json: `case`.text.utf8)
                try await store.update(update)
                // Told in order: when the mark has come, so has all before it.
                let mark = try await store.listen(at: "mark", on: recorder)
                try await store.set("mark", to: 1)
                while recorder.texts(for: mark).isEmpty { await Task.yield() }
                let texts = recorder.texts(for: start).filter { !$0.contains("mark") }
                #expect(texts == (`case`.event.map { [$0] } ?? []), "\(`case`)")
            }
        }
    }

    @Test("what is there comes first, as a put; a value that is too large is refused")
    func start() async throws {
        try await withStore(.memory) { store in
            try await store.set("a", to: ["b": "text"])
            let recorder = Recorder()
            for (path, json) in [
                ("a" as TreePath, #"{"path":"/","data":{"b":"text"}}"#), ("x", #"{"path":"/","data":null}"#),
            ] {
                let event = try await store.listen(at: path, on: recorder).event
                #expect(event.kind == .put)
                #expect(String(decoding: event.json, as: UTF8.self) == json)
            }
            await expectCode(.tooLarge) { _ = try await store.listen(at: "a", on: recorder, maxBytes: 5) }
            await store.close()
            #expect(recorder.isEnded)
        }
    }

    @Test("a listener that has ended is told no more, and leaves nothing behind", arguments: [nil, limited])
    func end(query: TreeQuery?) async throws {
        try await withStore(.memory) { store in
            let recorder = Recorder()
            var listeners: [LiveListener] = []
            for _ in 0..<2 {
                _ = try await store.listen(at: "a", matching: query, on: recorder) { listeners.append($0) }
            }
            store.stopListening(listeners[0])
            try await store.set("a/b", to: 1)
            while recorder.ids.isEmpty { await Task.yield() }
            #expect(recorder.ids == [listeners[1].id])
            store.stopListening(listeners[1])
            #expect(store.live.places(strictlyBelow: StorageFormat.dataKey("")).isEmpty)
        }
    }

    private static var limited: TreeQuery? { try? TreeQuery(order: .key, limit: .last(2)) }

    /// What is written to a list of which the last two children are listened to, and how that is told.
    static let windowSteps: [(text: String, event: String?)] = [
        (#"{"a":1}"#, #"put {"path":"/","data":{"a":1}}"#),
        (#"{"b":{"x":[1]}}"#, #"put {"path":"/b","data":{"x":[1]}}"#),
        (#"{"c":3}"#, #"patch {"path":"/","data":{"a":null,"c":3}}"#),
        (#"{"a":5}"#, nil),
        (#"{"b/x":2}"#, #"put {"path":"/b","data":{"x":2}}"#),
        (#"{"c":null}"#, #"patch {"path":"/","data":{"a":5,"c":null}}"#),
        (#"{"a":7,"b":8,"c":9}"#, #"patch {"path":"/","data":{"a":null,"b":8,"c":9}}"#),
        (#"{"b":8}"#, nil),
        (#"{"a":null,"b":null,"c":null}"#, #"put {"path":"/","data":null}"#),
    ]

    @Test("of a query, what comes into its window, goes and changes is told", arguments: EngineKind.allCases)
    func windows(kind: EngineKind) async throws {
        try await withStore(kind) { store in
            let recorder = Recorder()
            let start = try await store.listen(at: "list", matching: Self.limited, on: recorder)
            #expect(String(decoding: start.event.json, as: UTF8.self) == #"{"path":"/","data":null}"#)
            var expected: [String] = []
            for step in Self.windowSteps {
                try await store.update(try JSONUpdate(.update, at: "list", json: step.text.utf8))
                if let event = step.event { expected.append(event) }
                while recorder.texts(for: start).count < expected.count { await Task.yield() }
                #expect(recorder.texts(for: start) == expected)
            }
            // A second listener begins with the present window, and the first is not disturbed.
            try await store.set("list", to: ["m": 1, "n": 2, "o": 3])
            let second = try await store.listen(at: "list", matching: Self.limited, on: recorder)
            #expect(String(decoding: second.event.json, as: UTF8.self) == #"{"path":"/","data":{"n":2,"o":3}}"#)
        }
    }

    @Test("a query without an index is refused; one whose index goes is cancelled")
    func indexes() async throws {
        try await withStore(.memory) { store in
            let recorder = Recorder()
            let query = try TreeQuery(order: .child("age"), limit: .first(1))
            await expectCode(.indexNotDefined) {
                _ = try await store.listen(at: "people", matching: query, on: recorder)
            }
            try await store.setRules(#"{"rules":{"people":{".indexOn":"age"}}}"#, of: .main)
            let start = try await store.listen(at: "people", matching: query, on: recorder)
            try await store.set("people/ann/age", to: 5)
            while recorder.texts(for: start).isEmpty { await Task.yield() }
            #expect(recorder.texts(for: start) == [#"put {"path":"/","data":{"ann":{"age":5}}}"#])
            try await store.setRules(#"{"rules":{}}"#, of: .main)
            try await store.set("people/bob/age", to: 4)
            while recorder.cancelled.isEmpty { await Task.yield() }
            #expect(recorder.cancelled == [start.listener])
        }
    }

    @Test("listeners that begin while others write are told each change once", arguments: EngineKind.allCases)
    func noneLostNoneTwice(kind: EngineKind) async throws {
        try await withStore(kind) { store in
            let recorder = Recorder()
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for writer in 0..<4 {
                    tasks.addTask {
                        for count in 0..<100 {
                            let one = try JSONUpdate(
                                .update, at: "n", json: #"{"w\#(writer)":\#(count),"both":"\#(writer)-\#(count)"}"#.utf8
                            )
                            try await store.update(one)
                        }
                    }
                }
                for _ in 0..<8 {
                    tasks.addTask {
                        let start = try await store.listen(at: "n", on: recorder)
                        let missing = 400 - Int(start.event.token.sequence)
                        while recorder.texts(for: start).count < missing { await Task.yield() }
                        #expect(Set(recorder.texts(for: start)).count == missing)
                    }
                }
                try await tasks.waitForAll()
            }
        }
    }
}
