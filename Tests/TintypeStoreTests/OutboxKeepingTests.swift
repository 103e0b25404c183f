import DaemonSupport
import Foundation
import Testing
import TintypeClient
import TintypeModel
import TintypeStore

@Suite("An outbox over attempts, versions and people", .timeLimit(.minutes(5)))
struct OutboxKeepingTests {
    @Test("A write that rests is tried at once when the app sends again")
    func rest() async throws {
        try await ServiceProcess.run { service in
            try await service.addUser("ann")
            try await URLSessionTransport.run { network in
                let transport = FaultyTransport(network, [.refused(TransportResponse(status: 500))])
                try await Device.run("ann", of: service, transport: transport, clock: StoppedClock()) { device in
                    let submission = try await device.store.publish(PostDraft(text: "patient"))
                    try await device.online { await transport.untilAllHaveHappened() }
                    #expect(try await first(submission.states) { _ in true } == .queued)
                    try await device.online { try await device.untilSent() }
                    #expect(try await device.client.posts().value.elements.compactMap(\.text) == ["patient"])
                }
            }
        }
    }

    @Test("After a lost network, only the write that was tried may have arrived")
    func lostNetwork() async throws {
        try await ServiceProcess.run { service in
            try await service.addUser("ann")
            try await URLSessionTransport.run { network in
                let transport = FaultyTransport(network, [.lost]) { $0.url.path.hasSuffix("/comments") }
                try await Device.run("ann", of: service, transport: transport) { sending in
                    let post = try await sending.store.publish(PostDraft(text: "Lake")).subject
                    try await sending.online { try await sending.untilSent() }
                    let device = Device(
                        store: LocalStore(
                            client: sending.client, records: sending.records,
                            folder: sending.folder.appendingPathComponent("photos"), clock: StoppedClock()),
                        client: sending.client, folder: sending.folder, records: sending.records)
                    var comments: [Submission<TintypeModel.Comment.ID>] = []
                    for text in ["a", "b", "c"] { comments.append(try await device.store.comment(text, on: post)) }
                    try await device.online {
                        await transport.untilAllHaveHappened()
                        // The deletion of an untried comment leaves nothing to send.
                        while try await device.store.delete(comments[2].subject, on: post).id != nil {
                            await Task.yield()
                        }
                    }
                    #expect(try await first(comments[2].states, where: \.isFinal) == .withdrawn)
                }
            }
        }
    }

    @Test("A write of a later version stays, with its photos")
    func laterVersion() async throws {
        try await ServiceProcess.run { service in
            try await service.addUser("ann")
            try await Device.run("ann", of: service) { device in
                let draft = PostDraft(text: "Later", photos: [PhotoDraft(file: Fixtures.photo)])
                let submission = try await device.store.publish(draft)
                let written = try await device.records.read { reader in
                    try reader.records("write", in: RecordRange(prefix: "ann/"), isDescending: false, limit: 9)
                }
                let record = try #require(written.first)
                try await device.records.write(.powerCut) { writer in
                    try writer.set(Array(#"{"later":1}"#.utf8), for: RecordKey("write", record.key))
                }
                try await device.online {
                    let other = try await device.store.publish(PostDraft(text: "Now"))
                    _ = try await first(other.states, where: \.isFinal)
                    #expect(try await first(submission.states) { _ in true } == .queued)
                }
                try await device.records.write(.powerCut) { writer in
                    try writer.set(record.value, for: RecordKey("write", record.key))
                }
                try await device.online { _ = try await first(submission.states, where: \.isFinal) }
                let posts = try await device.client.posts().value.elements
                #expect(Set(posts.compactMap(\.text)) == ["Later", "Now"])
                #expect(posts.first { $0.text == "Later" }?.photos.count == 1)
            }
        }
    }

    @Test("The writes of two people on one device are not taken for each other")
    func people() async throws {
        try await ServiceProcess.run { service in
            for uid in ["ann", "bob"] { try await service.addUser(uid) }
            try await Device.run("ann", of: service) { device in
                let mine = try await device.store.publish(PostDraft(text: "Ann's"))
                try await device.client.session.signOut()
                try await device.client.session.signIn(
                    email: "bob@example.org", password: ServiceProcess.password(of: "bob"))
                let theirs = try await device.store.publish(PostDraft(text: "Bob's"))
                #expect(mine.id != theirs.id)
                let state = try await device.online { try await first(theirs.states, where: \.isFinal) }
                #expect(state == .applied)
                #expect(try await first(mine.states) { _ in true } == .queued)
                #expect(try await device.client.posts().value.elements.compactMap(\.text) == ["Bob's"])
            }
        }
    }

    @Test("An answer that arrives after the data of a person were removed brings nothing back")
    func removal() async throws {
        try await ServiceProcess.run { service in
            for uid in ["ann", "bob"] { try await service.addUser(uid) }
            try await URLSessionTransport.run { network in
                let transport = GatedTransport(network) { $0.url.path.hasSuffix("/people/bob") }
                try await Device.run("ann", of: service, transport: transport) { device in
                    let load = Task { [store = device.store] in try await store.loadPerson("bob") }
                    await transport.untilHeld()
                    try await device.client.session.signOut()
                    try await device.store.removeData(of: "ann")
                    transport.open()
                    _ = await #expect(throws: SessionError.signedOut) { try await load.value }
                    let session = device.client.session
                    try await session.signIn(email: "ann@example.org", password: ServiceProcess.password(of: "ann"))
                    #expect(try await first(device.store.person("bob")) { _ in true } == nil)
                    // The person comes back.
                    let post = try await device.store.publish(PostDraft(text: "Back"))
                    let state = try await device.online { try await first(post.states, where: \.isFinal) }
                    #expect(state == .applied)
                    try await device.store.loadPerson("bob")
                    #expect(try await first(device.store.person("bob")) { _ in true } != nil)
                }
            }
        }
    }

    @Test("Data that are removed while the person is online are read again")
    func removalOnline() async throws {
        try await ServiceProcess.run { service in
            try await service.addUser("ann")
            try await Device.run("ann", of: service) { device in
                try await device.online {
                    let post = try await device.store.publish(PostDraft(text: "Kept by the service"))
                    _ = try await first(post.states, where: \.isFinal)
                    try await device.store.removeData(of: "ann")
                    _ = try await first(device.store.feed().snapshots()) { $0.posts.count == 1 }
                }
            }
        }
    }

    @Test("A changed profile is shown at once, and stays")
    func profile() async throws {
        try await ServiceProcess.run { service in
            try await service.addUser("ann")
            try await Device.run("ann", of: service) { device in
                try await device.store.loadPerson("ann")
                try await device.store.changeProfile(name: "Anna")
                try await device.store.changeProfile(bio: "Rows")
                func shown() async throws -> Local<Person>? {
                    try await first(device.store.person("ann")) { _ in true }
                }
                let offline = try await shown()
                #expect(offline?.value.name == "Anna" && offline?.value.bio == "Rows")
                #expect(offline?.state == .toBeUpdated)
                try await device.online { try await device.untilSent() }
                let online = try await shown()
                #expect(online?.value.name == "Anna" && online?.value.bio == "Rows" && online?.state == .upToDate)
                let person = try await device.client.person("ann").value
                #expect(person.name == "Anna" && person.bio == "Rows")
            }
        }
    }
}
