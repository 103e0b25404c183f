import Dispatch
import Testing

@testable import Tree

@Suite(.timeLimit(.minutes(20))) struct ListenTests {
    /// A change and its events at a path; the tree is `{"a":{"b":{"c":1},"d":2},"e":3}` before.
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
        Case(.value, "a", "5", at: "a", #"put / 5"#),
        Case(.value, "a/b/c", "5", at: "a", #"put /b/c 5"#),
        Case(.value, "a/b/c", "null", at: "", #"put /a/b/c null"#),
        Case(.value, "a", #"{"b":{"c":9}}"#, at: "a/b", #"put / {"c":9}"#),
        Case(.value, "", "null", at: "a/b/c", #"put / null"#),
        Case(.value, "a", #"{"b":{"c":1},"d":7}"#, at: "a/b", nil),
        Case(.value, "a", #"{"d":2,"b":{"c":1.0}}"#, at: "", nil),
        Case(.value, "e", "4", at: "a", nil), Case(.value, "ab", "4", at: "a", nil),
        Case(.value, "a/x", #"[1,null,2]"#, at: "a", #"put /x [1,null,2]"#),
        Case(.update, "a", #"{"d":3,"b/c":4}"#, at: "a", #"patch / {"b/c":4,"d":3}"#),
        Case(.update, "a", #"{"d":3,"b/c":4}"#, at: "", #"patch /a {"b/c":4,"d":3}"#),
        Case(.update, "", #"{"a/d":3,"a/b/c":4,"e":5}"#, at: "a", #"patch / {"b/c":4,"d":3}"#),
        Case(.update, "", #"{"a/d":3,"e":null}"#, at: "e", #"put / null"#),
        Case(.update, "", #"{"a":{"b":7},"e":5}"#, at: "a/b", #"put / 7"#),
        Case(.update, "a", #"{"d":2,"b/c":4}"#, at: "a", #"patch / {"b/c":4}"#),
        Case(.update, "a", #"{"d":2}"#, at: "a", nil), Case(.update, "", "{}", at: "", nil),
        Case(.update, "a/b", #"{"é \"":"\n"}"#, at: "a", #"patch /b {"é \"":"\n"}"#),
        Case(.priority, "a", "5", at: "a", #"put / {"b":{"c":1},"d":2}"#),
        Case(.priority, "a/b", "5", at: "", #"put /a/b {"c":1}"#),
        Case(.priority, "a", "5", at: "a/b", nil), Case(.priority, "none", "5", at: "", nil),
        Case(
            .update, "", #"{"a/.priority":1,"a/b/.priority":2,"a/d":5,"e":6}"#, at: "",
            #"patch / {"a":{"b":{"c":1},"d":5},"e":6}"#),
        Case(.update, "a", #"{".priority":1,"d":5}"#, at: "", #"put /a {"b":{"c":1},"d":5}"#),
        Case(.update, "a", #"{".priority":1,"d":5}"#, at: "a/d", #"put / 5"#),
        Case(.value, "a/d", #"{".value":2,".priority":1}"#, at: "a/d", #"put / 2"#),
        Case(.value, "e", #"{".sv":{"increment":1}}"#, at: "e", #"put / 4"#),
    ]

    @Test("a change is reported relative to the listener's path", arguments: EngineKind.allCases)
    func words(kind: EngineKind) async throws {
        for `case` in Self.cases {
            try await withStore(kind) { store in
                try await store.set("", to: ["a": ["b": ["c": 1], "d": 2], "e": 3])
                let recorder = Recorder()
                let start = try await store.listen(at: `case`.watched, notifying: recorder)
                let update = try JSONUpdate(`case`.form, at: `case`.path, json: `case`.text.utf8)
                try await store.update(update)
                // Events arrive in order: when the mark has arrived, so have all events before it.
                let mark = try await store.listen(at: "mark", notifying: recorder)
                try await store.set("mark", to: 1)
                while recorder.texts(for: mark).isEmpty { await Task.yield() }
                let texts = recorder.texts(for: start).filter { !$0.contains("mark") }
                #expect(texts == (`case`.event.map { [$0] } ?? []), "\(`case`)")
            }
        }
    }

    /// A derivation that lets one write through at a time, when it is opened.
    private struct Gate: Derivation {
        let place = TreePattern("a")
        let arrived: AsyncStream<Void>.Continuation
        let opened = DispatchSemaphore(value: 0)

        func writes(for node: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot) -> [TreeWrite] {
            arrived.yield()
            opened.wait()
            return []
        }
    }

    @Test("a new listener below a write in progress is not notified of values that the write leaves unchanged")
    func underWay() async throws {
        try await withEngine(.sqlite) { engine in
            let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
            var arriving = arrivals.makeAsyncIterator()
            let (gate, recorder) = (Gate(arrived: arrived), Recorder())
            gate.opened.signal()
            let store = try await TreeStore(engine: engine, derivations: [[gate]])
            try await store.set("a", to: ["b": 1, "c": 1])
            _ = await arriving.next()
            async let written = store.set("a", to: ["b": 1, "c": 2])
            _ = await arriving.next()
            let start = try await store.listen(at: "a/b", notifying: recorder) { gate.opened.signal() }
            _ = try await written
            await store.commits.waitForDelivery()
            #expect(start.json == "1" && recorder.texts(for: start).isEmpty)
        }
    }

    @Test("the present value arrives first; a value that is too large is refused")
    func start() async throws {
        try await withStore(.memory) { store in
            try await store.set("a", to: ["b": "text"])
            let recorder = Recorder()
            for (path, json) in [("a" as TreePath, #"{"b":"text"}"#), ("x", "null")] {
                #expect(try await store.listen(at: path, notifying: recorder).json == json)
            }
            await expectCode(.tooLarge) { _ = try await store.listen(at: "a", notifying: recorder, maxBytes: 5) }
            await store.close()
            #expect(recorder.isEnded)
        }
    }

    @Test("a listener that has ended is no longer notified, and leaves nothing behind", arguments: [nil, limited])
    func end(query: TreeQuery?) async throws {
        try await withStore(.memory) { store in
            let recorder = Recorder()
            var listeners: [Listener] = []
            for _ in 0..<2 {
                listeners.append(try await store.listen(at: "a", matching: query, notifying: recorder).listener)
            }
            store.stopListening(listeners[0])
            try await store.set("a/b", to: 1)
            while recorder.ids.isEmpty { await Task.yield() }
            #expect(recorder.ids == [listeners[1].id])
            store.stopListening(listeners[1])
            #expect(!store.commits.hasListeners)
        }
    }

    @Test("a receiver that only has query listeners learns that the store has been closed")
    func endOfQueries() async throws {
        try await withStore(.memory) { store in
            let recorder = Recorder()
            _ = try await store.listen(at: "a", matching: Self.limited, notifying: recorder)
            await store.close()
            while !recorder.isEnded { await Task.yield() }
        }
    }

    @Test("a listener that leaves a query before having joined it ends no other listener")
    func leavingEarly() async throws {
        try await withStore(.memory) { store in
            let recorder = Recorder()
            let other = try await store.listen(at: "b", notifying: recorder)
            let query = try await store.listen(at: "a", matching: Self.limited, notifying: recorder)
            _ = try? await store.listen(at: "a", matching: Self.limited, notifying: recorder) {
                store.stopListening($0)
            } start: { _ in
            }
            store.stopListening(query.listener)
            for number in 1...100 as ClosedRange<Int64> {
                try await store.set("b", to: .integer(number))
                await Task.yield()
            }
            while recorder.texts(for: other).count < 100 { await Task.yield() }
            #expect(!recorder.isEnded)
        }
    }

    private static var limited: TreeQuery? { try? TreeQuery(order: .key, limit: .last(2)) }

    /// The writes to a list whose last two children are listened to, and the events that follow.
    static let windowSteps: [(text: String, event: String?)] = [
        (#"{"a":1}"#, #"put / {"a":1}"#),
        (#"{"b":{"x":[1]}}"#, #"put /b {"x":[1]}"#),
        (#"{"c":3}"#, #"patch / {"a":null,"c":3}"#),
        (#"{"a":5}"#, nil),
        (#"{"b/x":2}"#, #"put /b {"x":2}"#),
        (#"{"c":null}"#, #"patch / {"a":5,"c":null}"#),
        (#"{"a":7,"b":8,"c":9}"#, #"patch / {"a":null,"b":8,"c":9}"#),
        (#"{"b":8}"#, nil),
        (#"{"a":null,"b":null,"c":null}"#, #"put / null"#),
    ]

    @Test(
        "a query listener is notified when children enter, leave or change within its window",
        arguments: EngineKind.allCases)
    func windows(kind: EngineKind) async throws {
        try await withStore(kind) { store in
            let recorder = Recorder()
            let start = try await store.listen(at: "list", matching: Self.limited, notifying: recorder)
            #expect(start.json == "null")
            var expected: [String] = []
            for step in Self.windowSteps {
                try await store.update(try JSONUpdate(.update, at: "list", json: step.text.utf8))
                if let event = step.event { expected.append(event) }
                while recorder.texts(for: start).count < expected.count { await Task.yield() }
                #expect(recorder.texts(for: start) == expected)
            }
            // A second listener begins with the present window, and the first one is not affected.
            try await store.set("list", to: ["m": 1, "n": 2, "o": 3])
            let second = try await store.listen(at: "list", matching: Self.limited, notifying: recorder)
            #expect(second.json == #"{"n":2,"o":3}"#)
        }
    }

    @Test("a query without an index is refused; one whose index is removed is cancelled")
    func indexes() async throws {
        try await withStore(.memory) { store in
            let recorder = Recorder()
            let query = try TreeQuery(order: .child("age"), limit: .first(1))
            await expectCode(.indexNotDefined) {
                _ = try await store.listen(at: "people", matching: query, notifying: recorder)
            }
            try await store.setRules(#"{"rules":{"people":{".indexOn":"age"}}}"#, of: .main)
            let start = try await store.listen(at: "people", matching: query, notifying: recorder)
            try await store.set("people/ann/age", to: 5)
            while recorder.texts(for: start).isEmpty { await Task.yield() }
            #expect(recorder.texts(for: start) == [#"put / {"ann":{"age":5}}"#])
            try await store.setRules(#"{"rules":{}}"#, of: .main)
            try await store.set("people/bob/age", to: 4)
            while recorder.cancelled.isEmpty { await Task.yield() }
            #expect(recorder.cancelled == [start.listener.id])
        }
    }

    @Test("a listener that begins during writes receives each change once", arguments: EngineKind.allCases)
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
                        let start = try await store.listen(at: "n", notifying: recorder)
                        let missing = 400 - Int(start.token.sequence)
                        while recorder.texts(for: start).count < missing { await Task.yield() }
                        #expect(Set(recorder.texts(for: start)).count == missing)
                    }
                }
                try await tasks.waitForAll()
            }
        }
    }
}
