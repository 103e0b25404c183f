import API
import Foundation
import Logging
import Synchronization
import TestSupport
import Testing

@testable import Model
@testable import Social
@testable import Tree

@Suite("Flags of people are counted, listed, reported once, and deleted with their subject")
struct FlagTests {
    private let post = "-OaBcDeFgHiJkLmNoPqR"

    private func withFlags(_ body: (NotificationStore, Flags) async throws -> Void) async throws {
        try await NotificationStore.run { store in
            try await Outbox(store.tree, clock: { 0 }).setOn(true)
            for (id, text) in [(post, "one"), ("-OaBcDeFgHiJkLmNoPqS", "two")] {
                try await store.tree.set(
                    try TreePath("posts/\(id)"),
                    to: ["author": ["uid": "ann"], "text": .string(text), "timestamp": 1])
            }
            try await body(store, Flags(store.tree))
        }
    }

    private func flag(_ path: String, _ store: NotificationStore, _ isThere: Bool = true) async throws {
        try await store.tree.set(try TreePath(path), to: isThere ? true : nil)
    }

    /// Returns the list: the post's text or the comment, and the number.
    private func list(_ flags: Flags, _ order: Flags.Order = .most, limit: Int = 10) async throws -> [String] {
        try await flags.page(order, after: nil, limit: limit).document.flagged.map {
            "\($0.commentID ?? $0.text ?? "?") \($0.flags)"
        }
    }

    /// Returns the messages that wait for the operator.
    private func messages(_ store: NotificationStore) async throws -> [TreeValue] {
        try await store.tree.children(of: OutboxNodes.entry() / "@operator").compactMap { $0.value["notification"] }
    }

    private func expectNoFaults(_ store: NotificationStore) async throws {
        let repair = SocialRepair(
            store.tree, version: TreePath(["v"], in: .pipelineOfTest), logger: Logger(label: "test"))
        let faults = try await repair.faults()
        #expect(faults.isEmpty, "\(faults)")
    }

    @Test("Only members flag the posts of an audience; a flag is deleted with its post")
    func ofAudience() async throws {
        try await withFlags { store, flags in
            let id = try #require(PostID("-OaBcDeFgHiJkLmNoPqT"))
            try await store.tree.set("audiences/c", to: ["name": "7b", "members": ["ann": "owner", "bob": "reader"]])
            try await store.tree.set(
                AudienceNodes.post(id),
                to: ["author": ["uid": "ann"], "text": "class", "timestamp": 1, "audiences": ["c": true]])
            let subject = FlagSubject(post: id)
            for uid in ["ann", "bob"] { _ = try await flags.add(by: try #require(UserID(uid)), to: subject) }
            let eve = try #require(UserID("eve"))
            await #expect(throws: Failure.self) { _ = try await flags.add(by: eve, to: subject) }
            await #expect(throws: Failure.self) { _ = try await flags.remove(by: eve, from: subject) }
            #expect(try await list(flags) == ["class 2"])
            #expect(try await messages(store).count == 1)
            _ = try await flags.remove(by: try #require(UserID("bob")), from: subject)
            #expect(try await list(flags) == ["class 1"])
            try await expectNoFaults(store)
            try await store.tree.set(AudienceNodes.post(id), to: nil)
            #expect(try await list(flags) == [])
            #expect(try await store.tree.get("postFlags") == nil)
            try await expectNoFaults(store)
        }
    }

    @Test("The number is always that of the flags, for all writes: one by one, several at once, above them")
    func count() async throws {
        try await withFlags { store, flags in
            try await flag("postFlags/\(post)/bob", store)
            try await flag("postFlags/\(post)/bob", store)
            let three: TreeValue = ["bob": true, "cat": true, "ann": true]
            try await store.tree.set(
                "postFlags", to: .object([try TreeKey(post): three, "-OaBcDeFgHiJkLmNoPqS": ["bob": true]]))
            #expect(try await list(flags) == ["one 3", "two 1"])
            #expect(try await list(flags, .newest).count == 2)
            try await flag("postFlags/\(post)/bob", store, false)
            try await expectNoFaults(store)
            #expect(try await list(flags) == ["one 2", "two 1"])
            try await store.tree.set("postFlags", to: nil)
            #expect(try await list(flags).isEmpty)
            try await expectNoFaults(store)
        }
    }

    @Test("The operator is notified of the first flag of each post and comment once, without the flagger's id")
    func told() async throws {
        try await withFlags { store, flags in
            try await store.comment("c", on: post, by: "bob")
            let before = try await messages(store).count
            try await flag("postFlags/\(post)/bob", store)
            try await flag("postFlags/\(post)/cat", store)
            try await flag("postFlags/\(post)/bob", store, false)
            try await flag("postFlags/\(post)/cat", store, false)
            try await flag("postFlags/\(post)/bob", store)
            try await flag("commentFlags/\(post)/c/cat", store)
            let told = try await messages(store)
            #expect(before == 0 && told.count == 2)
            #expect(told.map { $0["kind"]?.stringValue } == ["flag", "flag"])
            #expect(told.first?["post"]?.stringValue == post && told.first?["actor"]?["uid"]?.stringValue == "bob")
            #expect(told.last?["comment"]?.stringValue == "c")
            let page = try await Outbox(store.tree, clock: { 0 }).page(ofDead: false, after: nil, limit: 50).document
            let mine = page.deliveries.filter { $0.kind == "flag" }
            #expect(mine.map(\.to) == ["@operator", "@operator"])
            for delivery in mine { #expect(DeliveryID(delivery.id)?.description == delivery.id) }
            #expect(try await list(flags).sorted() == ["c 1", "one 1"])
        }
    }

    @Test("A dismissed subject is neither listed nor reported again; flags stay with the people who set them")
    func dismissed() async throws {
        try await withFlags { store, flags in
            let subject = FlagSubject(post: try #require(PostID(post)))
            await #expect(throws: Failure.self) { try await flags.dismiss(subject) }
            _ = try await flags.add(by: try #require(UserID("bob")), to: subject)
            _ = try await flags.dismiss(subject)
            let token = try await store.tree.token
            #expect(try await flags.dismiss(subject) == token, "there is no change left to make")
            #expect(try await list(flags).isEmpty)
            _ = try await flags.add(by: try #require(UserID("cat")), to: subject)
            #expect(try await list(flags).isEmpty)
            #expect(try await messages(store).count == 1)
            #expect(try await store.tree.keys(of: subject.flags).count == 2)
            try await expectNoFaults(store)
        }
    }

    @Test("Flags are deleted with a comment at once, with a post by its job, and with the person who set them")
    func gone() async throws {
        try await withFlags { store, flags in
            try await store.comment("c", on: post, by: "bob")
            try await flag("commentFlags/\(post)/c/cat", store)
            try await flag("postFlags/\(post)/cat", store)
            try await flag("postFlags/-OaBcDeFgHiJkLmNoPqS/cat", store)
            try await store.tree.set(try TreePath("comments/\(post)/c"), to: nil)
            #expect(try await store.tree.get("commentFlags") == nil)
            try await expectNoFaults(store)
            try await store.tree.set(try TreePath("posts/\(post)"), to: nil)
            #expect(try await list(flags) == ["two 1"], "before the job has run")
            let jobs = FollowUpTaskWorker(store.tree, clock: { 0 }, logger: Logger(label: "test"))
            try await jobs.runAll()
            #expect(try await store.tree.get(try TreePath("postFlags/\(post)")) == nil)
            try await expectNoFaults(store)
            _ = try await People(store.tree).delete(try #require(UserID("cat")))
            try await jobs.runAll()
            #expect(try await store.tree.get("postFlags") == nil)
            #expect(try await list(flags).isEmpty)
            let gone = FlagSubject(post: try #require(PostID(post)))
            #expect(try await store.tree.get(gone.path(below: ReactionNodes.flags())) == nil)
            #expect(try await store.tree.get(ReactionNodes.flagged("cat" as TreeKey)) == nil)
        }
    }

    @Test("A post that is restored before its flags are deleted is listed and reported again")
    func cameBack() async throws {
        try await withFlags { store, flags in
            let subject = FlagSubject(post: try #require(PostID(post)))
            try await flag("postFlags/\(post)/bob", store)
            _ = try await flags.dismiss(subject)
            let path = PostNodes.post() / subject.post
            let record = try await store.tree.get(path)
            try await store.tree.set(path, to: nil)
            try await store.tree.set(path, to: record)
            #expect(try await list(flags) == ["one 1"])
            #expect(try await list(flags, .newest) == ["one 1"])
            try await expectNoFaults(store)
            try await flag("postFlags/\(post)/cat", store)
            #expect(try await messages(store).count == 2)
            try await expectNoFaults(store)
        }
    }

    @Test("Pages continue after the end of the last one, in both orders, and skip deleted subjects")
    func pages() async throws {
        try await withFlags { store, flags in
            for number in 0..<5 {
                try await store.comment("c\(number)", on: post, by: "bob")
                for flagger in 0...number { try await flag("commentFlags/\(post)/c\(number)/u\(flagger)", store) }
            }
            try await flag("postFlags/nothing/bob", store)
            for order in Flags.Order.allCases {
                var cursor: String?
                var all: [String] = []
                repeat {
                    let page = try await flags.page(order, after: cursor, limit: 2).document
                    all += page.flagged.compactMap(\.commentID)
                    #expect(page.hasMore == (page.next != nil))
                    cursor = page.next
                } while cursor != nil
                #expect(Set(all).count == 5 && all.count == 5, "\(all)")
                if order == .most { #expect(all == ["c4", "c3", "c2", "c1", "c0"]) }
            }
            for cursor in ["", "x", "L2ZsYWdz"] {
                await #expect(throws: Failure.self) { try await flags.page(.most, after: cursor, limit: 2) }
            }
        }
    }
}

extension Namespace {
    fileprivate static let pipelineOfTest = Namespace(reserved: "pipeline")
}
