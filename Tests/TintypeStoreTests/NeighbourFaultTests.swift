import DaemonSupport
import Foundation
import Testing
import TintypeClient
import TintypeModel
import TintypeStore

/// Faults that users of other offline stores have reported.
@Suite("Faults of other offline stores", .timeLimit(.minutes(5)))
struct NeighbourFaultTests {
    private func withAnn(
        _ fates: [FaultyTransport.Fate] = [], _ body: (ServiceProcess, Device, FaultyTransport) async throws -> Void
    ) async throws {
        try await ServiceProcess.run { service in
            try await service.addUser("ann")
            try await URLSessionTransport.run { network in
                let transport = FaultyTransport(network, fates)
                try await Device.run("ann", of: service, transport: transport) { device in
                    try await body(service, device, transport)
                }
            }
        }
    }

    private func texts(_ device: Device) async throws -> [String] {
        try await device.client.posts().value.elements.compactMap(\.text).sorted()
    }

    @Test("A transient error drops no record, and a lost answer doubles none")
    func transientErrors() async throws {
        let page = Data("<html>Sign in to this network</html>".utf8)
        let fates: [FaultyTransport.Fate] = [
            .lost, .unanswered, .refused(TransportResponse(status: 200, headers: ["Content-Type": "text/html"], body: page)),
            .refused(TransportResponse(status: 502, body: page)), .refused(TransportResponse(status: 503)),
            .refused(TransportResponse(status: 500)), .refused(TransportResponse(status: 302)), .unanswered,
        ]
        try await withAnn(fates) { _, device, transport in
            for text in ["a", "b", "c"] { try await device.store.publish(PostDraft(text: text)) }
            try await device.online { try await device.untilSent() }
            #expect(transport.remainingCount == 0)
            #expect(try await texts(device) == ["a", "b", "c"])
            #expect(try await first(device.store.parkedWrites()) { _ in true }.isEmpty)
        }
    }

    @Test("What comes before its post waits for it, and is sent after it")
    func waiting() async throws {
        try await withAnn([.lost, .lost]) { _, device, _ in
            let post = try await device.store.publish(PostDraft(text: "late")).subject
            try await device.store.setLike(true, of: post)
            try await device.store.comment("first", on: post)
            try await device.store.publish(PostDraft(text: "other"))
            try await device.online { try await device.untilSent() }
            let posts = try await device.client.posts().value.elements
            #expect(posts.map(\.text) == ["other", "late"])
            #expect(posts.last?.counts == Post.Counts(likes: 1, comments: 1))
        }
    }

    @Test("A refusal because of a quota does not cascade")
    func quota() async throws {
        try await withAnn { service, device, _ in
            try await service.command(["quota", "set", "ann", "1KiB"])
            let photo = try await device.store.publish(PostDraft(photos: [PhotoDraft(file: Fixtures.photo)]))
            let like = try await device.store.setLike(true, of: photo.subject)
            let text = try await device.store.publish(PostDraft(text: "text"))
            try await device.online {
                _ = try await first(text.states, where: \.isFinal)
                let state = try await first(photo.states) { if case .refused = $0 { true } else { false } }
                guard case .refused(let problem) = state else { return }
                #expect(problem.code == .quotaExceeded, "\(problem)")
                #expect(try await first(like.states) { _ in true } == .queued)
                try await service.command(["quota", "set", "ann", "1GiB"])
                try await device.store.retry(try #require(photo.id))
                _ = try await first(photo.states, where: \.isFinal)
                _ = try await first(like.states, where: \.isFinal)
            }
            #expect(try await device.client.posts().value.elements.count == 2)
        }
    }

    @Test("To delete and make the same id again are two writes, and the last one stays")
    func sameID() async throws {
        try await withAnn([.unanswered, .unanswered, .lost]) { service, device, _ in
            try await service.setRules(#"{"rules":{"notes":{".read":true,".write":"auth != null"}}}"#)
            let values: [JSONValue] = ["one", .null, "two", .null, "three"]
            for value in values { try await device.store.write(["": value], at: "notes/a") }
            #expect(try await first(device.store.unsentCount()) { _ in true } == values.count)
            try await device.online { try await device.untilSent() }
            #expect(try await device.client.tree("notes/a").value().value == "three")
        }
    }

    @Test("More than 400 writes, and more than 400 values in one, are sent")
    func batch() async throws {
        try await withAnn { service, device, _ in
            try await service.setRules(#"{"rules":{"notes":{".read":true,".write":"auth != null"}}}"#)
            let names = (0..<450).map { "n\($0)" }
            try await device.store.write(
                Dictionary(uniqueKeysWithValues: names.map { ($0, JSONValue.string($0)) }), at: "notes/many")
            for name in names { try await device.store.write(["": .string(name)], at: "notes/each/\(name)") }
            try await device.online { try await device.untilSent() }
            let expected = Dictionary(uniqueKeysWithValues: names.map { ($0, JSONValue.string($0)) })
            #expect(try await device.client.tree("notes/many").value().value == .object(expected))
            #expect(try await device.client.tree("notes/each").value().value == .object(expected))
        }
    }

    @Test("A queue that is sent after a restart replaces nothing that others have changed meanwhile")
    func restart() async throws {
        try await ServiceProcess.run { service in
            for uid in ["ann", "bob"] { try await service.addUser(uid) }
            try await withFolder { folder in
                let post = try await Device.run("ann", of: service, in: folder) { device in
                    let post = try await device.store.publish(PostDraft(text: "one"))
                    try await device.online { _ = try await first(post.states, where: \.isFinal) }
                    try await device.store.edit(post.subject, text: "from this device")
                    return post.subject
                }
                try await Device.run("ann", of: service) { other in
                    let id = try #require(try await other.client.posts().value.elements.first?.id)
                    _ = try await other.client.editPost(id, PostEdit(text: "from another device"))
                }
                try await Device.run("ann", of: service, in: folder) { device in
                    try await device.online {
                        let parked = try await first(device.store.parkedWrites()) { !$0.isEmpty }
                        guard case .conflict(.post(_, let mine, let theirs)) = parked.first?.reason else {
                            Issue.record("\(parked)")
                            return
                        }
                        #expect(mine == "from this device" && theirs.text == "from another device")
                        #expect(try await texts(device) == ["from another device"])
                        try await device.store.retry(try #require(parked.first?.id))
                        try await device.untilSent()
                        #expect(try await texts(device) == ["from this device"])
                        let shown = try await first(device.store.post(post)) { $0?.post.text == "from this device" }
                        #expect(shown?.parkedWrites.isEmpty == true)
                    }
                }
            }
        }
    }

    @Test("Writes do not hang without a network, whose requests never end")
    func hanging() async throws {
        try await withAnn(Array(repeating: .hanging, count: 100)) { _, device, _ in
            try await device.online {
                let post = try await device.store.publish(PostDraft(text: "offline")).subject
                try await device.store.setLike(true, of: post)
                try await device.store.comment("still offline", on: post)
                let shown = try #require(try await first(device.store.post(post)) { _ in true })
                #expect(shown.state == .toBeAdded && shown.post.counts == Post.Counts(likes: 1, comments: 1))
            }
        }
    }
}
