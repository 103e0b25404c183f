import API
import Logging
import TestSupport
import Testing

@testable import Model
@testable import Social
@testable import Tree

@Suite("Privacy switches: people can prevent that they are found by name")
struct PrivacyTests {
    private func found(_ text: String, _ store: NotificationStore) async throws -> [String] {
        let prefix = try #require(NamePrefix(text))
        return try await People(store.tree).search(prefix, after: nil, limit: 10).people.map(\.uid.description)
    }

    private func keys(_ store: NotificationStore) async throws -> TreeValue? {
        try await store.tree.get("people/ann/_search_index")
    }

    private func expectNoFaults(_ store: NotificationStore) async throws {
        let repair = SocialRepair(
            store.tree, version: TreePath(["v"], in: Namespace(reserved: "pipeline")), logger: Logger(label: "test"))
        let faults = try await repair.faults()
        #expect(faults.isEmpty, "\(faults)")
    }

    @Test(
        "Search keys are absent from the commit that turns social off, after any write, and return with it"
    )
    func social() async throws {
        try await NotificationStore.run { store in
            #expect(try await found("ann", store) == ["ann"])
            try await store.tree.set("privacy/ann/social", to: false)
            #expect(try await found("ann", store).isEmpty)
            #expect(try await found("lee", store).isEmpty)
            #expect(try await keys(store) == nil)
            try await expectNoFaults(store)
            // A new name, and an app's own writes, do not lead to the person either.
            try await store.tree.set("people/ann/full_name", to: "Anna Lind")
            try await store.tree.set("people/ann/_search_index/full_name", to: "anna lind")
            #expect(try await found("ann", store).isEmpty)
            #expect(try await keys(store) == nil)
            try await expectNoFaults(store)
            // Both in one change.
            var update = MultiPathUpdate()
            update["privacy/ann"] = ["social": true, "content": false]
            update["people/ann/full_name"] = "Anne Lund"
            try await store.tree.update(update)
            for (text, people) in [("anne", ["ann"]), ("anna", []), ("lund", ["ann"])] {
                #expect(try await found(text, store) == people)
            }
            #expect(try await keys(store)?["full_name"]?.stringValue == "anne lund")
            try await expectNoFaults(store)
            try await store.tree.set("privacy/ann", to: ["social": false])
            #expect(try await found("anne", store).isEmpty)
            try await store.tree.set("privacy", to: nil)
            #expect(try await found("anne", store) == ["ann"])
            try await expectNoFaults(store)
        }
    }

    @Test("A person without consent does not like, follow or comment; existing data can be removed")
    func consent() async throws {
        try await NotificationStore.run { store in
            let post = try #require(PostID("-OaBcDeFgHiJkLmNoPqR"))
            try await store.tree.set(PostNodes.post(post), to: ["author": ["uid": "ann"], "text": "x", "timestamp": 1])
            let (bob, ann) = (try #require(UserID("bob")), try #require(UserID("ann")))
            let (likes, follows, privacy) = (Likes(store.tree), Follows(store.tree), Privacy(store.tree))
            let comments = Comments(store.tree, ids: PushIDGenerator(clock: { 1 }))
            let words = try CommentText("hi", mentions: [])
            _ = try await likes.add(by: bob, to: post)
            try await privacy.change(bob, [.content: false])
            let noContent = await #expect(throws: Failure.self) { try await comments.add(words, by: bob, to: post) }
            #expect(noContent?.code == .notConsented)
            _ = try await follows.follow(bob, ann)
            try await privacy.change(bob, [.dataProcessing: false, .content: true])
            let switches = try #require(try await privacy.switches(of: bob))
            #expect(switches.document == PrivacyDocument(dataProcessing: false, content: true, social: true))
            let noData = await #expect(throws: Failure.self) { try await likes.add(by: bob, to: post) }
            #expect(noData?.code == .notConsented)
            await #expect(throws: Failure.self) { try await follows.follow(bob, ann) }
            await #expect(throws: Failure.self) { try await comments.add(words, by: bob, to: post) }
            #expect(try await likes.remove(by: bob, from: post).count == 0)
            _ = try await follows.unfollow(bob, ann)
        }
    }
}
