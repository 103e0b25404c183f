import Foundation
import Testing
import TintypeClient
import TintypeModel

@Suite("Reading and writing the tree of a service", .serialized)
struct TreeAccessTests {
    private static let values: [(path: [String], value: JSONValue, read: JSONValue)] = [
        (["ä ö", "100 %"], "ü", "ü"), (["a+b=c&d?e", "%2F"], "%00", "%00"), (["日本", "👩‍👩‍👧"], 1, 1),
        (["quote\"", "back\\slash"], "\"\\\u{1}", "\"\\\u{1}"), ([" ", "'"], true, true),
        (["list"], ["a", "b"], ["a", "b"]), (["gaps"], ["a", nil, "c"], ["a", nil, "c"]),
        (["sparse"], ["0": 1, "9": 2], ["0": 1, "9": 2]), (["keys"], ["0": "a", "1": "b"], ["a", "b"]),
        (["empty"], [:], nil), (["none"], nil, nil), (["holes"], ["a": nil, "b": [:], "c": 1], ["c": 1]),
        (["large"], 9_007_199_254_740_993, 9_007_199_254_740_993), (["fraction"], 0.1, 0.1),
        (
            ["deep"], (0..<29).reduce(.integer(1)) { value, _ in ["a": value] },
            (0..<29).reduce(.integer(1)) { value, _ in ["a": value] }
        ),
    ]

    @Test("Values with odd keys, lists, nulls and deep values are read as the tree has them")
    func values() async throws {
        try await TreeHome.run { home in
            for (path, value, read) in Self.values {
                let node = path.reduce(home.client.tree("open")) { $0.child($1) }
                let written = try await node.set(value)
                let answer = try await node.value()
                #expect(answer.value == read, "\(path)")
                #expect(answer.etag == written.etag && answer.etag != nil, "\(path)")
                #expect(try #require(answer.changeNumber) >= 0)
            }
        }
    }

    @Test("Entities are written, read, changed, added and removed")
    func entities() async throws {
        try await TreeHome.run { home in
            let events = home.events
            let begins = Date(timeIntervalSince1970: 1_795_251_415.385)
            let dinner = Event(id: "dinner ü", title: "Dinner", begins: begins, places: 4, tags: ["a"])
            #expect(try await events.get("dinner ü").value == nil)
            try await events.write(dinner)
            #expect(try await events.get("dinner ü").value == dinner)

            try await events.update("dinner ü", ["places": 5, "tags": nil, "map/lat": 1.5])
            let node = try await events.reference.child("dinner ü").value()
            #expect(node.value == ["title": "Dinner", "begins": 1_795_251_415_385, "places": 5, "map": ["lat": 1.5]])
            var supper = dinner
            (supper.title, supper.tags) = ("Supper", nil)
            try await events.write(supper, replacing: node.value, ifMatch: node.etag)
            #expect(try await events.reference.child("dinner ü").child("map").value().value == ["lat": 1.5])

            let added = try await events.add(Event(id: "new", title: "Brunch")).value
            #expect(PushID(rawValue: added.id.rawValue) != nil && added.title == "Brunch")
            #expect(try await Set(events.all().value.elements) == [supper, added])
            #expect(try await events.get(["none", added.id, "dinner ü"]).value.elements == [added, supper])

            try await events.remove("dinner ü")
            try await events.remove("dinner ü")
            #expect(try await events.all().value.elements == [added])
        }
    }

    @Test("Each entity that does not decode is one fault, and the others are there")
    func faults() async throws {
        try await TreeHome.run { home in
            try await home.events.reference.set([
                "a": ["title": "A"], "b": ["title": 7], "c": "text", "d": ["title": "D", "begins": "soon"],
                "e": ["title": "E", "more": [1, 2]],
            ])
            for children in [
                try await home.events.all().value, try await home.events.query(TreeQuery()).value,
                try await home.events.get(["a", "b", "c", "d", "e"]).value,
            ] {
                #expect(children.elements.map(\.id) == ["a", "e"])
                #expect(children.faults.map(\.id) == ["b", "c", "d"])
                #expect(children.faults.map(\.path) == ["b.title", "c", "d.begins"])
            }
            await #expect(throws: DecodingFault.self) { try await home.events.get("b") }
            await #expect(throws: DecodingFault.self) { try await home.events.transaction("c") { $0 = nil } }
        }
    }

    private static let queries: [(query: TreeQuery, ids: [EntityID<Event>])] = [
        (TreeQuery(), ["9", "10", "a", "b", "c"]), (TreeQuery().first(2), ["9", "10"]),
        (TreeQuery().last(2), ["b", "c"]), (TreeQuery().starting(at: "b"), ["b", "c"]),
        (TreeQuery().starting(after: "b"), ["c"]), (TreeQuery().ending(before: "a"), ["9", "10"]),
        (TreeQuery().equal(to: "b"), ["b"]), (TreeQuery(by: .child("begins")), ["9", "c", "a", "b", "10"]),
        (TreeQuery(by: .child("begins")).starting(at: 2).ending(at: 3), ["a", "b", "10"]),
        (TreeQuery(by: .child("begins")).starting(after: 2, key: "a").first(1), ["b"]),
        (TreeQuery(by: .child("begins")).equal(to: nil), ["9"]),
        (TreeQuery(by: .child("begins")).last(2), ["b", "10"]),
        (TreeQuery(by: .child("address/city")).equal(to: "\"Köln\" & Bonn, \\"), ["c"]),
        (TreeQuery(by: .child("address/city")).equal(to: "none"), []),
    ]

    @Test("Queries select children, in their order, with any text as a bound")
    func queries() async throws {
        try await TreeHome.run { home in
            try await home.events.reference.set([
                "10": ["title": "", "begins": 3], "9": ["title": ""], "a": ["title": "", "begins": 2],
                "b": ["title": "", "begins": 2],
                "c": ["title": "", "begins": 1, "address": ["city": "\"Köln\" & Bonn, \\"]],
            ])
            for (query, ids) in Self.queries {
                #expect(try await home.events.query(query).value.elements.map(\.id) == ids, "\(query)")
            }
            let numbers = home.client.tree("open/numbers")
            try await numbers.set(["x": 3, "y": "text", "z": false])
            #expect(try await numbers.value(of: TreeQuery(by: .value).starting(at: 0)).value == ["x": 3, "y": "text"])
            await #expect(throws: Problem.self) { try await home.events.query(TreeQuery(by: .child("title"))) }
        }
    }

    @Test("Several values are read at once; the rules refuse one of them alone")
    func severalValues() async throws {
        try await TreeHome.run(isSignedIn: true) { home in
            try await home.client.tree.update(["open/a b": 1, "own/ann/x": ["y": "ü"]])
            let answer = try await home.client.tree.values(at: ["open/a b", "own/bob/x", "/own/ann/x", "open/none"])
            #expect(answer.value.map(\.path) == ["open/a b", "own/bob/x", "/own/ann/x", "open/none"])
            let results = answer.value.map(\.result)
            #expect(try results[0].get() == 1 && results[2].get() == ["y": "ü"] && results[3].get() == .null)
            #expect(throws: Problem.self) { try results[1].get() }
            #expect(answer.value.map { $0.etag != nil } == [true, false, true, true])
            #expect(answer.value[3].etag == ConditionFailed.absent)
            #expect(answer.changeNumber != nil)

            let own = home.client.tree("own").of(Event.self)
            try await home.client.tree("own/ann").set(["title": "mine"])
            let children = try await own.get(["bob", "ann"]).value
            #expect(children.elements.map(\.id) == ["ann"] && children.faults.map(\.path) == ["bob"])
        }
    }

    @Test("A refusal of the rules is a problem, and writes none of several paths")
    func refusals() async throws {
        try await TreeHome.run(isSignedIn: true) { home in
            try await home.client.tree("open/y").set(2)
            await #expect {
                try await home.client.tree.update(["open/x": 1, "own/bob": 1])
            } throws: { ($0 as? Problem)?.code == .permissionDenied }
            await #expect(throws: Problem.self) {
                try await home.client.tree("open/guarded").of(Event.self).update("g", ["places": 1])
            }
            #expect(try await home.client.tree("open").value().value == ["y": 2])
        }
    }
}
