import Foundation
import TintypeClient
import TintypeModel
import TintypeStore

/// Measures the store of a device: opening, scrolling and synchronising with generated posts, and sending to a service.
@main
struct ClientBenchmark {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "client-benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        switch (arguments.first, arguments.count) {
        case ("open", 1):
            try await fill(folder, postCount: 20_000)
            for _ in 0..<5 { try await open(folder) }
        case ("scroll", 1):
            try await fill(folder, postCount: 10_000)
            try await scroll(folder)
        case ("sync", 1): try await synchronise(folder)
        case ("send", 4):
            guard let service = URL(string: arguments[1]) else { throw Usage() }
            try await send(folder, service, email: arguments[2], password: arguments[3])
        default: throw Usage()
        }
    }

    struct Usage: Error, CustomStringConvertible {
        var description: String { "ClientBenchmark open | scroll | sync | send SERVICE EMAIL PASSWORD" }
    }

    /// Opens the store of a device whose service is generated.
    static func store(_ folder: URL, _ service: GeneratedService) async throws -> (LocalStore, SQLiteRecordStore) {
        guard let address = URL(string: "http://127.0.0.1:9") else { throw Usage() }
        let keychain = MemoryKeychain()
        let client = ServiceClient(service: address, keychain: keychain, transport: service)
        try await client.session.signIn(email: "ann@example.org", password: "password")
        let records = try await SQLiteRecordStore(path: folder.appendingPathComponent("store.sqlite").path)
        return (LocalStore(client: client, records: records, folder: folder.appendingPathComponent("photos")), records)
    }

    /// Makes the store of a device with a number of posts.
    static func fill(_ folder: URL, postCount: Int) async throws {
        let (store, records) = try await store(folder, GeneratedService(postCount: postCount, pageCount: postCount))
        let run = Task { try await store.run() }
        for try await snapshot in store.feed().snapshots() where !snapshot.posts.isEmpty { break }
        run.cancel()
        _ = await run.result
        await records.close()
    }

    /// Opens a store up to its first 30 posts.
    static func open(_ folder: URL) async throws {
        let service = GeneratedService(postCount: 0, pageCount: 0)
        let before = Usage.now()
        let clock = ContinuousClock.now
        let (store, records) = try await store(folder, service)
        for try await snapshot in store.feed(screenCount: 10).snapshots() {
            let time = ContinuousClock.now - clock
            print(
                "first \(snapshot.posts.count) posts: \(time.milliseconds) ms, \(Usage.now().time - before.time) ms of processor time"
            )
            break
        }
        await records.close()
    }

    /// Scrolls through a feed from the newest to the oldest post, and half of the way back.
    static func scroll(_ folder: URL) async throws {
        let (store, records) = try await store(folder, GeneratedService(postCount: 0, pageCount: 0))
        let feed = store.feed()
        let before = Usage.now()
        var peak = before.memory
        var (seen, backCount) = (Set<Post.ID>(), 0)
        var isGoingDown = true
        for try await snapshot in feed.snapshots() {
            seen.formUnion(snapshot.posts.map(\.id))
            peak = max(peak, Usage.now().memory)
            if isGoingDown {
                guard let last = snapshot.posts.last, snapshot.hasOlder, seen.count < 10_000 else {
                    isGoingDown = false
                    try await feed.loadNewer()
                    continue
                }
                try await feed.show(last.id)
            } else {
                backCount += 1
                if !snapshot.hasNewer { break }
                try await feed.loadNewer()
            }
        }
        print("scrolled through \(seen.count) posts and back: \(Usage.now().time - before.time) ms of processor time")
        print(
            "memory: \(before.memory >> 20) MB before, \(peak >> 20) MB at most, \((peak - before.memory) >> 20) MB more"
        )
        await records.close()
    }

    /// Applies a thousand changes.
    static func synchronise(_ folder: URL) async throws {
        let (store, records) = try await store(folder, GeneratedService(postCount: 1000, pageCount: 1000))
        let before = Usage.now()
        let run = Task { try await store.run() }
        for try await snapshot in store.feed().snapshots() where !snapshot.posts.isEmpty { break }
        print("1000 changed posts up to the redraw: \(Usage.now().time - before.time) ms of processor time")
        run.cancel()
        _ = await run.result
        await records.close()
    }

    /// Sends a thousand comments from the outbox, and the same by hand.
    static func send(_ folder: URL, _ service: URL, email: String, password: String) async throws {
        try await URLSessionTransport.run { transport in
            let client = ServiceClient(service: service, keychain: MemoryKeychain(), transport: transport)
            try await client.session.signIn(email: email, password: password)
            guard case .published(let post) = try await client.publish(NewPost("Comment on me")).value else {
                throw Usage()
            }
            let records = try await SQLiteRecordStore(path: folder.appendingPathComponent("store.sqlite").path)
            let store = LocalStore(client: client, records: records, folder: folder.appendingPathComponent("photos"))
            for round in 1...3 {
                let hand = try await ContinuousClock().measure {
                    for number in 0..<1000 {
                        _ = try await client.addComment(
                            "By hand \(number)", to: post.id, clientTime: Date(), idempotencyKey: UUID().uuidString)
                    }
                }
                let queue = try await ContinuousClock().measure {
                    for number in 0..<1000 { try await store.comment("Queued \(number)", on: post.id) }
                }
                let sent = try await ContinuousClock().measure {
                    let run = Task { try await store.run() }
                    for try await count in store.unsentCount() where count == 0 { break }
                    run.cancel()
                    _ = await run.result
                }
                print(
                    "round \(round): 1000 by hand \(hand.milliseconds) ms; stored on the device \(queue.milliseconds) ms; "
                        + "sent from the outbox \(sent.milliseconds) ms, \(sent / hand) x")
            }
            await records.close()
        }
    }
}

extension Duration {
    /// The number of milliseconds.
    var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
