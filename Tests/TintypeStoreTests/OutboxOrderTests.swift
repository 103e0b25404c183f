import DaemonSupport
import Foundation
import Testing
import TintypeClient
import TintypeModel
import TintypeStore

@Suite("Writes that follow one another", .timeLimit(.minutes(5)))
struct OutboxOrderTests {
    private func withAnn(
        _ transport: (URLSessionTransport) -> any Transport, clock: any DeviceClock = QuickClock(),
        _ body: (ServiceProcess, Device) async throws -> Void
    ) async throws {
        try await ServiceProcess.run { service in
            for uid in ["ann", "bob"] { try await service.addUser(uid) }
            try await URLSessionTransport.run { network in
                let chosen = transport(network)
                try await Device.run("ann", of: service, transport: chosen, clock: clock) { device in
                    try await body(service, device)
                }
            }
        }
    }

    @Test("A write of the tree that no request can have is refused, and stops no other one")
    func unusable() async throws {
        try await withAnn({ $0 }) { service, device in
            try await service.setRules(#"{"rules": {".read": true, ".write": true}}"#)
            for path in ["a.b", "a//b", "a/$c"] {
                _ = await #expect(throws: TreeInputError.self) { try await device.store.write(["": 1], at: path) }
                _ = await #expect(throws: TreeInputError.self) { try await device.store.write([path: 1], at: "open") }
            }
            let bad = try await device.store.write(["": .object(["a.b": 1])], at: "open/bad")
            let good = try await device.store.write(["": 1], at: "open/good")
            try await device.online {
                _ = try await first(bad.states) { if case .refused = $0 { true } else { false } }
                _ = try await first(good.states, where: \.isFinal)
            }
        }
    }

    @Test("The last of several edits counts, also if an earlier one was about to be sent when the network was lost")
    func edits() async throws {
        var gate: GatedTransport?
        try await withAnn(
            {
                let gated = GatedTransport($0, losing: true) { $0.method == "PUT" }
                gate = gated
                return gated
            }, clock: StoppedClock()
        ) { _, device in
            let post = try await device.store.publish(PostDraft(text: "0")).subject
            try await device.online { _ = try await first(device.store.post(post)) { $0?.state == .upToDate } }
            try await device.store.setLike(true, of: post)
            try await device.store.edit(post, text: "1")
            try await device.online {
                await gate?.untilHeld()
                try await device.store.edit(post, text: "2")
                gate?.open()
                // The like was lost, and what was to follow it is known to be untried.
                while try await device.untriedCount() < 2 { await Task.yield() }
                try await device.store.edit(post, text: "3")
            }
            #expect(try await first(device.store.post(post)) { _ in true }?.post.text == "3")
            try await device.online { try await device.untilSent() }
            #expect(try await first(device.store.parkedWrites()) { _ in true }.isEmpty)
            #expect(try await device.client.posts().value.elements.map(\.text) == ["3"])
        }
    }

    @Test("Other words for a refused comment are sent in its place")
    func refusedComment() async throws {
        try await withAnn({ $0 }) { _, device in
            let post = try await device.store.publish(PostDraft(text: "Lake")).subject
            let comment = try await device.store.comment(String(repeating: "x", count: 10_000), on: post)
            try await device.online {
                _ = try await first(comment.states) { if case .refused = $0 { true } else { false } }
                let edit = try await device.store.edit(comment.subject, on: post, text: "Short")
                #expect(edit.id == comment.id)
                #expect(try await first(edit.states, where: \.isFinal) == .applied)
                let shown = try await first(device.store.comments(on: post)) { $0.first?.state == .upToDate }
                #expect(shown.map(\.comment.text) == ["Short"] && shown.map(\.id) == [comment.subject])
            }
        }
    }

    @Test("Other words for a refused edit are based on what the person sees by then")
    func refusedEdit() async throws {
        try await withAnn({ $0 }) { _, device in
            let post = try await device.store.publish(PostDraft(text: "0")).subject
            try await device.online {
                let shown = try await first(device.store.post(post)) { $0?.state == .upToDate }
                let id = try #require(shown?.post.id)
                let edit = try await device.store.edit(post, text: String(repeating: "x", count: 100_000))
                _ = try await first(edit.states) { if case .refused = $0 { true } else { false } }
                _ = try await device.client.editPost(id, PostEdit(text: "theirs"), idempotencyKey: "theirs")
                _ = try await first(device.store.post(post)) { $0?.post.text == "theirs" }
                #expect(try await device.store.edit(post, text: "mine").id == edit.id)
                #expect(try await first(edit.states, where: \.isFinal) == .applied)
                #expect(try await device.client.post(id).value.text == "mine")
            }
        }
    }

    @Test("The person's version replaces another one also if an earlier attempt had arrived")
    func retriedConflict() async throws {
        try await withAnn({ FaultyTransport($0, [.unanswered]) { $0.method == "PATCH" } }, clock: StoppedClock()) {
            service, device in
            let post = try await device.store.publish(PostDraft(text: "0")).subject
            try await device.online { _ = try await first(device.store.post(post)) { $0?.state == .upToDate } }
            let edit = try await device.store.edit(post, text: "mine")
            try await device.online { try await device.untilText("mine") }
            let id = try #require(try await first(device.store.post(post)) { _ in true }?.post.id)
            _ = try await device.client.editPost(id, PostEdit(text: "theirs"), idempotencyKey: "theirs")
            try await device.online {
                _ = try await first(edit.states) { if case .conflict = $0 { true } else { false } }
                try await device.store.retry(try #require(edit.id))
                try await device.untilText("mine")
            }
        }
    }

    @Test("Comments that were written during an absence can all be read")
    func absence() async throws {
        try await withAnn({ $0 }) { service, ann in
            try await Device.run("bob", of: service) { bob in
                guard case .published(let post) = try await ann.client.publish(NewPost("Lake")).value else {
                    throw CancellationError()
                }
                for number in 0..<3 { _ = try await bob.client.addComment("\(number)", to: post.id) }
                #expect(try await ann.store.loadOlderComments(on: post.id) == false, "the newest are read first")
                for number in 3..<28 { _ = try await bob.client.addComment("\(number)", to: post.id) }
                #expect(try await ann.store.loadComments(on: post.id))
                while try await ann.store.loadOlderComments(on: post.id) {}
                let comments = try await first(ann.store.comments(on: post.id)) { _ in true }
                #expect(comments.map(\.comment.text) == (0..<28).map { "\($0)" })
            }
        }
    }
}

extension Device {
    /// The number of writes that cannot have reached the service.
    fileprivate func untriedCount() async throws -> Int {
        try await records.read { reader in
            try reader.records("write", in: RecordRange(prefix: "ann/"), isDescending: false, limit: 9)
        }.filter { String(decoding: $0.value, as: UTF8.self).contains(#""isAttempted":false"#) }.count
    }

    /// Waits until the service has a post with a text.
    fileprivate func untilText(_ text: String) async throws {
        while try await client.posts().value.elements.first?.text != text { await Task.yield() }
    }
}
