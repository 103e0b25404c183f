import DaemonSupport
import Foundation
import Testing
import TintypeClient
import TintypeModel

@Suite("Conditions, repetitions and transactions of the tree of a service", .serialized)
struct TreeConditionTests {
    @Test("A write with a condition is carried out while the value is the same; otherwise the present value is there")
    func conditions() async throws {
        try await TreeHome.run { home in
            let node = home.client.tree("open/x")
            let first = try await node.set("ä", ifMatch: ConditionFailed.absent)
            let etag = try #require(first.etag)
            let failed = ConditionFailed.value("ä", etag: etag)
            await #expect(throws: failed) { try await node.set(2, ifMatch: ConditionFailed.absent) }
            await #expect(throws: failed) { try await node.remove(ifMatch: "other") }
            await #expect(throws: failed) { try await node.update(["y": 1], ifMatch: ["": "other"]) }
            #expect(try await node.value().value == "ä")
            try await node.update(["y": 1], ifMatch: ["": etag])
            try await node.remove(ifMatch: node.value().etag)
            #expect(try await node.value().value == .null)
            await #expect(throws: ConditionFailed.value(nil, etag: ConditionFailed.absent)) {
                try await node.set(1, ifMatch: etag)
            }

            let event = Event(id: "e", title: "x")
            let written = try await home.events.write(event, ifMatch: ConditionFailed.absent)
            await #expect(throws: ConditionFailed.value(["title": "x"], etag: try #require(written.etag))) {
                try await home.events.write(event, ifMatch: ConditionFailed.absent)
            }
            try await home.events.update("e", ["title": "y"], ifMatch: written.etag)
            await #expect(throws: ConditionFailed.self) { try await home.events.remove("e", ifMatch: written.etag) }
        }
    }

    @Test("An update has a condition for each of several paths, which it need not write")
    func severalConditions() async throws {
        try await TreeHome.run { home in
            let tree = home.client.tree("open")
            try await tree.update(["sitz ü": "maria", "free": 3])
            let etags = try await tree.values(at: ["sitz ü", "free"]).value.map { try #require($0.etag) }
            await #expect(throws: ConditionFailed.paths(["sitz ü": etags[0]])) {
                try await tree.update(["other": 1], ifMatch: ["sitz ü": ConditionFailed.absent, "free": etags[1]])
            }
            await #expect(throws: ConditionFailed.paths(["none": ConditionFailed.absent])) {
                try await tree.update(["other": 1], ifMatch: ["none": etags[0], "free": etags[1]])
            }
            #expect(try await tree.child("other").value().value == .null)
            let answer = try await tree.update(
                ["other": 1, "free": .increment(by: -1)], ifMatch: ["sitz ü": etags[0], "free": etags[1]])
            #expect(answer.value == ["other": 1, "free": 2] && answer.changeNumber != nil)
        }
    }

    @Test("A write that is repeated with its key is carried out once, and has the first answer")
    func repetitions() async throws {
        try await TreeHome.run { home in
            let counter = home.client.tree("open/counter")
            for _ in 1...3 {
                #expect(try await counter.set(.increment(by: 2), idempotencyKey: "k1").value == 2)
                #expect(
                    try await home.client.tree("open").update(["n/m": .increment(by: 1)], idempotencyKey: "k2").value
                        == ["n/m": 1])
            }
            await #expect { try await counter.set(7, idempotencyKey: "k1") } throws: { ($0 as? Problem)?.status == 422 }
            #expect(try await counter.value().value == 2)

            let event = Event(id: "new", title: "x")
            let added = try await home.events.add(event, idempotencyKey: "k3").value
            #expect(try await home.events.add(event, idempotencyKey: "k3").value == added)
            #expect(try await home.events.all().value.elements == [added])

            let removed = try await home.events.remove(added.id, idempotencyKey: "k4")
            try await home.events.write(added)
            let again = try await home.events.remove(added.id, idempotencyKey: "k4")
            #expect(try #require(again.changeNumber) >= #require(removed.changeNumber))
            #expect(try await home.events.get(added.id).value == added)
        }
    }

    @Test("Server values are the times and the sums of the service")
    func serverValues() async throws {
        try await TreeHome.run { home in
            let tree = home.client.tree("open/s")
            let written = try await tree.set(["at": .serverTime, "and": .serverTime, "n": .increment(by: 0.5)]).value
            #expect(try #require(written["at"]?.integer) > 1_700_000_000_000 && written["at"] == written["and"])
            #expect(try await tree.value().value == written && written["n"] == 0.5)
        }
    }

    @Test("Transactions at the same time lose no change")
    func transactions() async throws {
        try await TreeHome.run { home in
            let (events, wire) = (home.events, home.wire)
            try await events.reference.child("e").set(["title": "x", "other": "kept"])
            try await withThrowingTaskGroup { group in
                for _ in 1...2 {
                    group.addTask {
                        for _ in 1...10 {
                            try await events.transaction("e") { event in
                                let places = event?.places ?? 0
                                event?.places = places + 1
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(
                try await events.reference.child("e").value().value
                    == ["title": "x", "other": "kept", "places": 20])

            let created = try await events.transaction("f") { $0 = Event(id: "f", title: "new") }
            #expect(created.value == Event(id: "f", title: "new"))
            let count = await wire.requests.count
            #expect(try await events.transaction("f") { $0?.title = "new" }.value == created.value)
            #expect(await wire.requests.count == count + 1)
            #expect(try await events.transaction("f") { $0 = nil }.value == nil)
            #expect(try await events.get("f").value == nil)
            await #expect(throws: TreeInputError.self) {
                try await events.transaction("f") { $0 = Event(id: "g", title: "") }
            }
        }
    }

    @Test("A transaction ends when others change the value each time, or when its closure throws")
    func failingTransactions() async throws {
        try await TreeHome.run { home in
            let node = home.client.tree("open/x")
            try await node.set(0)
            struct Stop: Error {}
            await #expect(throws: Stop.self) { try await node.transaction { _ in throw Stop() } }
            let rival = RivalTransport(home.client)
            let client = ServiceClient(
                service: home.service.address, keychain: MemoryKeychain(), transport: rival, clock: home.clock)
            await #expect(throws: ConditionFailed.self) {
                try await client.tree("open/x").transaction { $0 = "mine" }
            }
            #expect(try await node.value().value == 25)
        }
    }

    /// A transport that changes the value of `open/x` before each write.
    private struct RivalTransport: Transport {
        let client: ServiceClient

        init(_ client: ServiceClient) { self.client = client }

        func response(
            to request: TransportRequest, progress: (@Sendable (_ sentCount: Int64) -> Void)?
        ) async throws -> TransportResponse {
            if request.method == "PUT" { try await client.tree("open/x").set(.increment(by: 1)) }
            return try await client.transport.response(to: request, progress: progress)
        }

        func stream(for request: TransportRequest) async throws -> TransportStream {
            try await client.transport.stream(for: request)
        }
    }

    @Test("A transaction whose answer is lost is carried out once")
    func lostAnswers() async throws {
        try await TreeHome.run { home in
            let node = home.client.tree("open/x")
            try await node.set(1)
            await home.wire.loseAnswers(2)
            #expect(try await node.transaction { $0 = .integer(($0.integer ?? 0) + 1) }.value == 2)
            #expect(try await node.value().value == 2)
            #expect(await home.clock.waits.count == 2)
            await home.wire.loseAnswers(100)
            await #expect(throws: TransportError.self) { try await node.transaction { $0 = 7 } }
        }
    }
}
