import DaemonSupport
import Foundation
import Testing
import TintypeClient
import TintypeModel
import TintypeStore

/// An app's own entity.
private struct Event: TreeEntity, Hashable {
    var id: EntityID<Event>
    var title: String
    var begins: Date?
    var places: Int?
}

@Suite("An app's own entities on a device", .timeLimit(.minutes(5)))
struct LocalTreeTests {
    private static let rules = """
        {"rules": {"open": {".read": true, ".write": true,
                            "events": {".indexOn": ["begins", "places"]}}}}
        """

    private func withAnn(_ body: (ServiceProcess) async throws -> Void) async throws {
        try await ServiceProcess.run { service in
            try await service.addUser("ann")
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("rules-\(UUID().uuidString).json")
            defer { try? FileManager.default.removeItem(at: file) }
            try Data(Self.rules.utf8).write(to: file)
            try await service.command(["rules", "set", file.path])
            try await body(service)
        }
    }

    @Test("An entity is there at once, is sent later, and is there without a network afterwards")
    func offline() async throws {
        try await withAnn { service in
            try await withFolder { folder in
                try await Device.run("ann", of: service, in: folder) { device in
                    let events = device.store.tree("open/events").of(Event.self)
                    let event = Event(id: "lake", title: "Lake", begins: Date(timeIntervalSince1970: 1_795_000_000))
                    #expect(try await first(events.all()) { _ in true }.isRead == false)
                    try await events.write(event)
                    let offline = try await first(events.all()) { _ in true }
                    #expect(offline.elements.map(\.value) == [event] && offline.elements.map(\.state) == [.toBeAdded])
                    try await device.online {
                        let online = try await first(events.all()) {
                            $0.isRead && $0.elements.first?.state == .upToDate
                        }
                        #expect(online.elements.map(\.value) == [event] && !offline.isRead)
                        #expect(try await device.client.tree("open/events").of(Event.self).get("lake").value == event)
                    }
                }
                try await Device.run("ann", of: service, in: folder) { device in
                    await service.stop()
                    let events = device.store.tree("open/events").of(Event.self)
                    #expect(try await first(events.all()) { _ in true }.elements.map(\.value.title) == ["Lake"])
                    let one = try await first(events.get("lake")) { _ in true }
                    #expect(try one.get()?.value.title == "Lake", "it is known from the list")
                    try await events.remove("lake")
                    #expect(try await first(events.all()) { _ in true }.elements.isEmpty)
                    #expect(try await first(events.get("lake")) { _ in true } == .success(nil))
                    try await service.start()
                }
            }
        }
    }

    @Test("Changes of others appear in what a query selects, and one bad entity is one fault")
    func live() async throws {
        try await withAnn { service in
            try await Device.run("ann", of: service) { device in
                let (local, remote) = (
                    device.store.tree("open/events").of(Event.self), device.client.tree("open/events")
                )
                let query = TreeQuery(by: .child("places")).starting(at: 2).first(2)
                for (key, places) in [("a", 1), ("b", 2), ("c", 3), ("d", 4)] {
                    try await remote.child(key).set(["title": .string(key), "places": .integer(Int64(places))])
                }
                func keys(_ children: LocalChildren<Event>) -> [String] { children.elements.map(\.value.id.rawValue) }
                try await device.online {
                    _ = try await first(local.query(query)) { keys($0) == ["b", "c"] }
                    var shown = local.query(query).makeAsyncIterator()
                    func next(_ expected: [String], faults: [String] = []) async throws {
                        while let children = try await shown.next() {
                            if keys(children) == expected, children.faults.map(\.path) == faults { return }
                        }
                        throw CancellationError()
                    }
                    try await next(["b", "c"])
                    try await remote.child("a").child("places").set(5)
                    try await remote.child("b").remove()
                    try await next(["c", "d"])
                    try await remote.child("c").child("title").set(7)
                    try await next(["d"], faults: ["c.title"])
                    try await local.write(Event(id: "e", title: "e", places: 2))
                    try await next(["e"], faults: ["c.title"])
                    try await device.untilSent()
                    try await remote.child("c").child("title").set("c")
                    try await next(["e", "c"])
                    try await local.remove("e")
                    try await next(["c", "d"])
                }
            }
        }
    }

    @Test("A query selects from what is not sent yet as the service selects from it later")
    func selection() async throws {
        let queries = [
            TreeQuery(), TreeQuery().first(3), TreeQuery().last(3), TreeQuery().starting(at: "10").ending(at: "b"),
            TreeQuery().starting(after: "2").ending(before: "b"), TreeQuery().equal(to: "b"),
            TreeQuery(by: .child("places")), TreeQuery(by: .child("places")).last(4),
            TreeQuery(by: .child("places")).equal(to: 2), TreeQuery(by: .child("places")).equal(to: .null),
            TreeQuery(by: .child("places")).equal(to: 2, key: "b"),
            TreeQuery(by: .child("places")).starting(at: 2).first(2),
            TreeQuery(by: .child("places")).starting(at: 2, key: "b").ending(before: 5),
            TreeQuery(by: .child("places")).starting(after: 2), TreeQuery(by: .child("places")).ending(before: 2),
            TreeQuery(by: .child("places")).ending(at: 2, key: "a"),
            TreeQuery(by: .child("places")).starting(after: 2, key: "a"),
        ]
        try await withAnn { service in
            try await Device.run("ann", of: service) { device in
                let local = device.store.tree("open/events").of(Event.self)
                for (key, places) in [
                    ("b", 2), ("10", 2), ("2", 1), ("a", 2), ("é", nil), ("c", 7), ("d", 5), ("e", -3),
                ] as [(String, Int?)] {
                    try await local.write(Event(id: EntityID(key), title: key, places: places))
                }
                var offline: [[String]] = []
                for query in queries {
                    let children = try await first(local.query(query)) { _ in true }
                    offline.append(children.elements.map(\.value.title))
                }
                try await device.online { try await device.untilSent() }
                let remote = device.client.tree("open/events").of(Event.self)
                for (query, titles) in zip(queries, offline) {
                    let expected = try await remote.query(query).value.elements.map(\.title)
                    #expect(titles == expected, "\(query)")
                }
            }
        }
    }

    @Test("Neither values nor sums of the person jump back while they are sent")
    func steadiness() async throws {
        try await withAnn { service in
            try await Device.run("ann", of: service) { device in
                let node = device.store.tree("open/values")
                try await device.online {
                    let seen = Task {
                        var seen: [(step: Int64, sum: Int64)] = []
                        for try await value in node.value() {
                            seen.append((value.value["step"]?.integer ?? 0, value.value["sum"]?.integer ?? 0))
                            if seen.last?.step == 20, seen.last?.sum == 20, value.state == .upToDate { break }
                        }
                        return seen
                    }
                    for step in 1...20 {
                        try await device.store.write(["step": .integer(Int64(step))], at: "open/values")
                        try await device.store.write(["sum": .increment(by: 1)], at: "open/values")
                        if step % 5 == 0 { try await device.untilSent() }
                    }
                    let values = try await seen.value
                    #expect(values.map(\.step) == values.map(\.step).sorted())
                    #expect(values.map(\.sum) == values.map(\.sum).sorted())
                    #expect(try await device.client.tree("open/values").value().value == ["step": 20, "sum": 20])
                    // The state of the service shows again once it includes the writes.
                    try await device.client.tree("open/values/step").set(30)
                    _ = try await first(node.value()) { $0.value == ["step": 30, "sum": 20] }
                }
            }
        }
    }

    @Test("A conflict is named by the node, and changes nothing until it is decided")
    func parked() async throws {
        try await withAnn { service in
            try await Device.run("ann", of: service) { device in
                let node = device.store.tree("open/events/a")
                try await device.client.tree("open/events/a").set(["title": "theirs"])
                let conflict = try await device.store.write(
                    ["title": "mine"], at: "open/events/a", basedOn: ["title": "before"])
                try await device.online {
                    _ = try await first(conflict.states) { if case .conflict = $0 { true } else { false } }
                    let shown = try await first(node.value()) { $0.value != .null && !$0.parkedWrites.isEmpty }
                    #expect(
                        shown.value == ["title": "theirs"] && shown.parkedWrites == [conflict.id].compactMap(\.self))
                    #expect(shown.state == .upToDate)
                    try await device.store.retry(try #require(conflict.id))
                    _ = try await first(node.value()) { $0.value == ["title": "mine"] && $0.parkedWrites.isEmpty }
                    try await device.untilSent()
                    #expect(try await device.client.tree("open/events/a/title").value().value == "mine")
                }
            }
        }
    }

    @Test("A part that the rules do not let the person read says so, keeps nothing waiting, and follows the rules")
    func refusal() async throws {
        try await withAnn { service in
            try await Device.run("ann", of: service) { device in
                let events = device.store.tree("closed/events").of(Event.self)
                try await device.online {
                    var shown = events.all().makeAsyncIterator()
                    var refusals = device.store.tree("closed/events").refusal().makeAsyncIterator()
                    while let children = try await shown.next(), children.refusal == nil { #expect(!children.isRead) }
                    while let refusal = try await refusals.next(), refusal == nil {}
                    let write = try await events.write(Event(id: "lake", title: "Lake"))
                    _ = try await first(write.states) { if case .refused = $0 { true } else { false } }
                    try await service.setRules(#"{"rules": {".read": true, ".write": true}}"#)
                    try await device.store.retry(try #require(write.id))
                    #expect(try await first(write.states, where: \.isFinal) == .applied)
                    while let children = try await shown.next() {
                        if children.isRead, children.refusal == nil, children.elements.count == 1 { break }
                    }
                    while let refusal = try await refusals.next(), refusal != nil {}
                }
            }
        }
    }

    @Test("A path that the tree cannot have is an error", arguments: ["a//b", "a.b", "a/$c"])
    func paths(path: String) async throws {
        try await withAnn { service in
            try await Device.run("ann", of: service) { device in
                _ = await #expect(throws: TreeInputError.self) {
                    _ = try await first(device.store.tree(path).of(Event.self).all()) { _ in true }
                }
            }
        }
    }
}
