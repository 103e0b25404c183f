import API
import Foundation
import Logging
import Synchronization
import Testing

@testable import Model
@testable import Social
@testable import Tree

@Suite("Notifications are delivered at least once and in order", .timeLimit(.minutes(20)))
struct OutboxTests {
    private func withOutbox(
        isOn: Bool = true, _ body: (NotificationStore, Outbox, OutboxWorker, Receiver) async throws -> Void
    ) async throws {
        try await NotificationStore.run { store in
            let clock: @Sendable () -> Timestamp = { [clock = store.clock] in clock.now }
            let outbox = Outbox(store.tree, clock: clock)
            try await outbox.setOn(isOn)
            let receiver = Receiver()
            let worker = OutboxWorker(
                store.tree, clock: clock, logger: Logger(label: "test"), onEnd: { receiver.end($0) }
            ) {
                try receiver.take($0)
            }
            try await body(store, outbox, worker, receiver)
        }
    }

    /// Expects no data about deliveries.
    private func expectEmpty(_ store: NotificationStore) async throws {
        for path in [OutboxNodes.entry(), OutboxNodes.head(), OutboxNodes.queued()] {
            #expect(try await store.tree.get(path) == nil, "\(path)")
        }
    }

    @Test("31: Each notification is delivered with all that an app shows of it")
    func delivered() async throws {
        try await withOutbox { store, _, worker, receiver in
            try await store.comment("c", by: "bob", mentioning: ["cat"])
            try await store.tree.set("people/bob/full_name", to: "Robert")
            try await worker.runAll()
            #expect(Set(receiver.lines) == ["ann comment bob", "cat mention bob"])
            let first = try #require(receiver.taken.first { $0.to == "ann" })
            let id = try #require(try await store.tree.keys(of: "notifications/ann").first)
            #expect(first.id == "\(id):ann" && first.text == "hi" && first.post == "p" && first.comment == "c")
            #expect(first.actor?.fullName == "Robert" && first.timestamp == 1_000_000)
            try await expectEmpty(store)
            try await worker.runAll()
            #expect(receiver.taken.count == 2)
        }
    }

    @Test("B23, 31: An announcement to everybody is delivered once; one to a few people, to each of them")
    func announcements() async throws {
        try await withOutbox { store, _, worker, receiver in
            let bob = try #require(UserID("bob"))
            let news = try await store.announcements.publish("news", title: "Title", by: bob).document
            _ = try await store.announcements.publish("letter", to: [bob])
            try await worker.runAll()
            #expect(Set(receiver.lines) == ["all announcement bob", "bob announcement -"])
            let first = try #require(receiver.taken.first { $0.to == nil })
            #expect(first.announcement == news.id && first.text == "news" && first.title == "Title")
            #expect(DeliveryID(first.id)?.description == first.id)
            try await expectEmpty(store)
        }
    }

    @Test("Without a receiver no deliveries are kept, and imported events are not delivered")
    func off() async throws {
        try await withOutbox(isOn: false) { store, outbox, _, _ in
            try await store.like("p", by: "bob")
            _ = try await store.announcements.publish("news")
            try await expectEmpty(store)
            try await outbox.setOn(true)
            let rows = try await store.tree.get("notifications")
            try await store.tree.set("notifications", to: rows)
            try await store.tree.set("announcements", to: ["x": ["text": "x"]])
            try await expectEmpty(store)
        }
    }

    @Test("A removed notification is not delivered; one that a full list has dropped is")
    func takenBack() async throws {
        try await withOutbox { store, _, worker, receiver in
            try await store.like("p", by: "bob")
            try await store.like("p", by: "bob", false)
            try await worker.runAll()
            #expect(receiver.taken.isEmpty)
            try await expectEmpty(store)
            for number in 0..<505 { try await store.like("p", by: "u\(number)") }
            try await worker.runAll()
            #expect(receiver.taken.map { $0.actor?.uid } == (0..<505).map { "u\($0)" })
        }
    }

    @Test("Removed notifications delay no others, and an announcement that is deleted in time is not delivered")
    func takenBackWhileItFails() async throws {
        try await withOutbox { store, _, worker, receiver in
            receiver.refuse { _ in true }
            try await store.like("p", by: "bob")
            let news = try await store.announcements.publish("wrong").document
            for _ in 0..<8 {
                try await worker.runAll()
                store.clock.advance(by: .seconds(600))
            }
            try await worker.runAll()
            try await store.like("p", by: "cat")
            receiver.refuse { _ in false }
            try await worker.runAll()
            #expect(receiver.taken.isEmpty)
            // The first of them is due in some minutes.
            try await store.like("p", by: "bob", false)
            _ = try await store.announcements.remove(try TreeKey(news.id))
            try await worker.runAll()
            #expect(receiver.lines == ["ann like cat"])
            try await expectEmpty(store)
        }
    }

    @Test("32: A failed delivery is retried with growing delays, in order, without delaying other recipients")
    func backoff() async throws {
        try await withOutbox { store, outbox, worker, receiver in
            receiver.refuse { $0.to == "ann" }
            try await store.like("p", by: "cat")
            try await store.like("p", by: "bob")
            try await store.like("q", by: "cat")
            try await worker.runAll()
            #expect(receiver.lines == ["bob like cat"])
            let waiting = try await outbox.page(ofDead: false, after: nil, limit: 20).document.deliveries
            #expect(waiting.map(\.attempts) == [1, 0] && waiting.first?.error == "refused")
            #expect(waiting.first?.due == store.clock.now.milliseconds + 1000)
            let tries = receiver.tries
            try await worker.runAll()
            #expect(receiver.tries == tries, "it is not tried before its time")
            store.clock.advance(by: .seconds(1))
            try await worker.runAll()
            #expect(receiver.tries == tries + 1)
            store.clock.advance(by: .seconds(1))
            try await worker.runAll()
            #expect(receiver.tries == tries + 1, "the next pause is longer")
            receiver.refuse { _ in false }
            store.clock.advance(by: .seconds(1))
            try await worker.runAll()
            #expect(receiver.lines == ["bob like cat", "ann like cat", "ann like bob"])
            try await expectEmpty(store)
        }
    }

    @Test("32: A delivery is given up after enough tries, later ones continue, and a retry has the same id")
    func deadLetter() async throws {
        try await withOutbox { store, outbox, worker, receiver in
            receiver.refuse { $0.actor?.uid == "cat" }
            try await store.like("p", by: "cat")
            try await store.like("p", by: "bob")
            for _ in 0..<OutboxWorker.maxAttempts {
                try await worker.runAll()
                store.clock.advance(by: .seconds(3600))
            }
            #expect(receiver.tries == OutboxWorker.maxAttempts + 1 && receiver.lines == ["ann like bob"])
            let ends = OutboxWorker.Outcome.allCases.map { outcome in receiver.ends.count { $0 == outcome } }
            #expect(ends == [1, OutboxWorker.maxAttempts - 1, 1], "delivered, failed, given up")
            try await expectEmpty(store)
            let dead = try await outbox.page(ofDead: true, after: nil, limit: 20).document.deliveries
            #expect(dead.map(\.isDead) == [true] && dead.first?.attempts == OutboxWorker.maxAttempts)
            let id = try #require(dead.first.flatMap { DeliveryID($0.id) })
            receiver.refuse { _ in false }
            try await worker.runAll()
            #expect(receiver.taken.count == 1)
            let retried = try await outbox.retry(id).document
            #expect(!retried.isDead && retried.attempts == 0)
            try await worker.runAll()
            #expect(receiver.lines == ["ann like bob", "ann like cat"] && receiver.taken.last?.id == id.description)
            await #expect(throws: Failure.self) { try await outbox.retry(id) }
            #expect(try await store.tree.get(OutboxNodes.deadLetter()) == nil)
        }
    }

    @Test("A retry of waiting deliveries does not wait for its time, and newer ones keep their order")
    func retryWaiting() async throws {
        try await withOutbox { store, outbox, worker, receiver in
            receiver.refuse { _ in true }
            try await store.like("p", by: "cat")
            try await worker.runAll()
            receiver.refuse { _ in false }
            try await store.like("p", by: "bob")
            try await worker.runAll()
            #expect(receiver.taken.isEmpty)
            let first = try #require(
                try await outbox.page(ofDead: false, after: nil, limit: 1).document.deliveries.first)
            _ = try await outbox.retry(try #require(DeliveryID(first.id)))
            try await worker.runAll()
            #expect(receiver.lines == ["ann like cat", "ann like bob"])
        }
    }

    @Test("The number of given-up deliveries of one recipient is limited")
    func manyDead() async throws {
        try await withOutbox { store, outbox, worker, receiver in
            var update = MultiPathUpdate()
            for number in 0..<OutboxWorker.maxDeadLetters {
                let key = PostPosition(sequence: 1, number: number).key
                update[OutboxNodes.deadLetter() / "ann" / key] = ["since": 1, "notification": ["kind": "like"]]
            }
            try await store.tree.update(update)
            receiver.refuse { _ in true }
            for number in 0..<3 { try await store.like("p", by: "u\(number)") }
            for _ in 0..<(3 * OutboxWorker.maxAttempts) {
                try await worker.runAll()
                store.clock.advance(by: .seconds(3600))
            }
            var next: DeliveryID?
            var ids: [String] = []
            repeat {
                let page = try await outbox.page(ofDead: true, after: next, limit: 30).document
                #expect(page.hasMore == (page.next != nil))
                ids += page.deliveries.map(\.id)
                next = page.next.flatMap { DeliveryID($0) }
            } while next != nil
            #expect(ids.count == OutboxWorker.maxDeadLetters && ids == ids.sorted())
            #expect(ids.first == "\(PostPosition(sequence: 1, number: 3).key):ann")
        }
    }

    @Test("Concurrent notifications are delivered once each, in the order of each recipient")
    func concurrent() async throws {
        try await withOutbox { store, _, worker, receiver in
            let running = Task { await worker.run() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<40 {
                    group.addTask { try await store.like("p", by: "u\(number)") }
                    group.addTask { try await store.like("q", by: "u\(number)") }
                }
                try await group.waitForAll()
            }
            try await store.untilDelivered()
            running.cancel()
            await running.value
            for uid in ["ann", "bob"] {
                let ids = receiver.taken.filter { $0.to == uid }.map(\.id)
                #expect(ids == ids.sorted() && ids.count == 40)
            }
            try await expectEmpty(store)
        }
    }

    @Test("An interrupted delivery is repeated under the same id")
    func cutOff() async throws {
        try await withOutbox { store, _, worker, receiver in
            try await store.like("p", by: "bob")
            let (started, start) = AsyncStream.makeStream(of: [UInt8].self)
            let clock: @Sendable () -> Timestamp = { [clock = store.clock] in clock.now }
            let slow = OutboxWorker(store.tree, clock: clock, logger: Logger(label: "test")) { json in
                start.yield(json)
                try await Task.sleep(for: .seconds(1000))
            }
            let running = Task { await slow.run() }
            var cut: DeliveryDocument?
            for await json in started {
                cut = try DeliveryDocument(json: Data(json))
                break
            }
            running.cancel()
            await running.value
            try await worker.runAll()
            #expect(receiver.taken.map(\.id) == [cut?.id])
            try await expectEmpty(store)
        }
    }

    @Test("A deleted person gets no more deliveries")
    func deletedPerson() async throws {
        try await withOutbox { store, _, worker, receiver in
            receiver.refuse { _ in true }
            try await store.like("p", by: "cat")
            try await worker.runAll()
            _ = try await PersonDeletion.begin(of: try #require(UserID("ann")), in: store.tree)
            let jobs = FollowUpTaskWorker(
                store.tree, clock: { [clock = store.clock] in clock.now }, logger: Logger(label: "test"))
            try await jobs.runAll()
            try await expectEmpty(store)
        }
    }

    @Test(
        "Malformed ids do not name a delivery",
        arguments: [
            "", "x", ":ann", "000000000000002a-00000000:", "000000000000002a-00000000:a.b", "2a-0:ann",
            "000000000000002A-00000000", "000000000000002a-00000000:+",
        ])
    func names(text: String) { #expect(DeliveryID(text) == nil) }
}
