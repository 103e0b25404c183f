import DaemonSupport
import Foundation
import Testing
import TintypeClient
import TintypeModel

@Suite("Observing the tree of a service", .serialized, .timeLimit(.minutes(3)))
struct TreeObservationTests {
    @Test("An observer sees puts, patches and deletions at any depth, and bad entities as faults")
    func changes() async throws {
        try await TreeHome.run { home in
            let events = home.events
            var snapshots = events.observe().makeAsyncIterator()
            #expect(try await snapshots.next() == TreeChildren(elements: [], faults: []))
            try await events.write(Event(id: "b", title: "B", tags: ["x", "y", "z"]))
            #expect(try await snapshots.next()?.elements == [Event(id: "b", title: "B", tags: ["x", "y", "z"])])
            try await events.reference.child("b").child("tags").child("1").set("ü")
            #expect(try await snapshots.next()?.elements.first?.tags == ["x", "ü", "z"])
            try await home.client.tree.update([
                "open/events/b/title": "BB", "open/events/b/tags": nil, "open/events/a": ["title": "A"],
                "open/other": 1,
            ])
            #expect(
                try await snapshots.next()?.elements == [Event(id: "a", title: "A"), Event(id: "b", title: "BB")])
            try await events.update("a", ["title": 7])
            let faulty = try #require(try await snapshots.next())
            #expect(faulty.elements.map(\.id) == ["b"] && faulty.faults.map(\.path) == ["a.title"])
            try await events.update("a", ["title": "A"])
            #expect(try await snapshots.next()?.elements.map(\.id) == ["a", "b"])
            try await events.remove("b")
            #expect(try await snapshots.next()?.elements.map(\.id) == ["a"])
            try await events.reference.set("text")
            #expect(try await snapshots.next()?.faults.count == 1)
            try await home.client.tree("open").remove()
            #expect(try await snapshots.next() == TreeChildren(elements: [], faults: []))
        }
    }

    @Test("An entity is observed while it does not exist, is bad, and is whole")
    func entity() async throws {
        try await TreeHome.run { home in
            var snapshots = try home.events.observe("e ü").makeAsyncIterator()
            #expect(try await snapshots.next() == .success(nil))
            try await home.events.write(Event(id: "e ü", title: "x"))
            #expect(try await snapshots.next() == .success(Event(id: "e ü", title: "x")))
            try await home.events.update("e ü", ["places": 3])
            #expect(try await snapshots.next()?.get()?.places == 3)
            try await home.events.reference.child("e ü").set(5)
            let faulty = try await snapshots.next()
            #expect(throws: DecodingFault.self) { try faulty?.get() }
            try await home.events.reference.remove()
            #expect(try await snapshots.next() == .success(nil))
        }
    }

    @Test("A value of any shape is observed as the service sends it")
    func value() async throws {
        try await TreeHome.run { home in
            let node = home.client.tree("open/v")
            var snapshots = node.observe().makeAsyncIterator()
            #expect(try await snapshots.next() == .null)
            for value in ["text", ["a", nil, "b"], ["a": ["b": 1.5]], 7, nil, ["0": ["0": 1]]] as [JSONValue] {
                try await node.set(value)
                let sent = try await node.value().value
                #expect(try await snapshots.next() == sent)
            }
        }
    }

    @Test("A query with a limit is observed in its order; entities enter it, move and leave it")
    func query() async throws {
        try await TreeHome.run { home in
            let events = home.events
            for (id, begins) in [("a", 30), ("b", 20), ("c", 10), ("d", 40)] {
                try await events.reference.child(id).set(["title": .string(id), "begins": .integer(Int64(begins))])
            }
            let query = TreeQuery(by: .child("begins")).first(3)
            var snapshots = events.observe(query).makeAsyncIterator()
            #expect(try await snapshots.next()?.elements.map(\.id) == ["c", "b", "a"])
            let steps: [(change: [String: JSONValue], ids: [EntityID<Event>])] = [
                (["b/begins": 35], ["c", "a", "b"]), (["c": nil], ["a", "b", "d"]),
                (["0": ["title": "0", "begins": 35]], ["a", "0", "b"]), (["b/begins": 99], ["a", "0", "d"]),
                (["a": nil, "0": nil], ["d", "b"]), (["d": nil, "b": nil], []),
            ]
            for (change, ids) in steps {
                try await events.reference.update(change)
                let snapshot = try await TreeHome.first(of: &snapshots) { $0.elements.map(\.id) == ids }
                #expect(snapshot == (try await events.query(query).value), "\(change)")
            }
        }
    }

    @Test("After random changes the observers have what a reader has")
    func randomChanges() async throws {
        try await TreeHome.run { home in
            let events = home.events
            let query = TreeQuery(by: .child("begins")).last(3)
            var all = events.observe().makeAsyncIterator()
            var last = events.observe(query).makeAsyncIterator()
            var value = events.reference.observe().makeAsyncIterator()
            _ = try await (all.next(), last.next(), value.next())
            let paths = [
                "0", "1", "2", "a", "b/title", "b/begins", "1/begins", "a/tags", "a/tags/0", "a/tags/1", "c/d/e",
            ]
            let values: [JSONValue] = [
                nil, 1, 2, "text", ["title": "x", "begins": 5], ["title": "y", "begins": 7, "tags": ["a", "b"]],
                ["u", "v"], ["title": 1], [:],
            ]
            for _ in 0..<30 {
                let changes = paths.shuffled().prefix(3).map { ($0, values.randomElement() ?? nil) }
                for (path, value) in changes { try await home.client.tree("open/events/\(path)").set(value) }
            }
            try await events.reference.child("end").set(["title": "end", "begins": 100])
            _ = try await TreeHome.first(of: &all) { $0.elements.contains { $0.id == "end" } }
            let end = try await TreeHome.first(of: &value) { $0["end"] != nil }
            #expect(try await end == events.reference.value().value)
            let expected = try await events.all().value
            try await events.update("end", ["places": 1])
            let snapshot = try await TreeHome.first(of: &all) { $0.elements.last?.places == 1 }
            #expect(snapshot.elements.dropLast() == expected.elements.dropLast())
            #expect(snapshot.faults.map(\.path) == expected.faults.map(\.path))
            let window = try await TreeHome.first(of: &last) { $0.elements.last?.places == 1 }
            #expect(try await window == events.query(query).value)
        }
    }

    @Test("An observer goes on after the service was killed and started again, and misses no final state")
    func restart() async throws {
        try await TreeHome.run { home in
            let events = home.events
            try await events.write(Event(id: "old", title: "x"))
            var snapshots = events.observe().makeAsyncIterator()
            #expect(try await snapshots.next()?.elements.map(\.id) == ["old"])
            for id in ["first", "second"] {
                await home.service.kill()
                try await home.service.start()
                try await events.write(Event(id: EntityID(id), title: "x"))
                let snapshot = try await TreeHome.first(of: &snapshots) {
                    $0.elements.contains { $0.id.rawValue == id }
                }
                #expect(snapshot == (try await events.all().value))
            }
            #expect(await !home.clock.waits.isEmpty)
        }
    }

    @Test("A slow reader gets the newest state, and none of those that it has missed")
    func slowReader() async throws {
        try await TreeHome.run { home in
            let node = home.client.tree("open/v")
            var witness = node.observe().makeAsyncIterator()
            var slow = node.observe().makeAsyncIterator()
            _ = try await (witness.next(), slow.next())
            for number in 1...50 { try await node.set(.integer(Int64(number))) }
            _ = try await TreeHome.first(of: &witness) { $0 == 50 }
            var seen: [JSONValue] = []
            _ = try await TreeHome.first(of: &slow) { value in
                seen.append(value)
                return value == 50
            }
            #expect(seen.count <= 2)
        }
    }

    @Test("The sequence ends with the refusal of the service when the rules or the account no longer allow it")
    func refusals() async throws {
        try await TreeHome.run(["--stream-keep-alive", "1s"], isSignedIn: true) { home in
            var closed = home.client.tree("own/bob").observe().makeAsyncIterator()
            #expect((await TreeHome.end(of: &closed) as? Problem)?.code == .permissionDenied)
            var unordered = home.events.observe(TreeQuery(by: .child("title"))).makeAsyncIterator()
            #expect((await TreeHome.end(of: &unordered) as? Problem)?.status == 400)

            var own = home.client.tree("own/ann").observe().makeAsyncIterator()
            #expect(try await own.next() == .null)
            var events = home.events.observe().makeAsyncIterator()
            #expect(try await events.next() != nil)
            try await home.service.setRules(TreeHome.rules.replacing(#"".read": true, "#, with: ""))
            #expect((await TreeHome.end(of: &events) as? Problem)?.code == .permissionDenied)

            try await home.service.command(["user", "disable", "ann"])
            let end = await TreeHome.end(of: &own)
            #expect(end as? SessionError == .expired("ann"), "\(String(describing: end))")
        }
    }

    @Test("To cancel the task of a loop ends it")
    func cancellation() async throws {
        try await TreeHome.run { home in
            let snapshots = home.events.observe()
            let (started, continuation) = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                var count = 0
                for try await _ in snapshots {
                    count += 1
                    continuation.yield()
                }
                return count
            }
            for await _ in started { break }
            task.cancel()
            let count = try await task.value
            #expect(count == 1)
        }
    }
}
