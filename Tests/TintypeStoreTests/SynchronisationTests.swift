import Foundation
import Synchronization
import Testing
import TintypeClient
import TintypeModel
import TintypeStore

@Suite("Synchronising a device", .timeLimit(.minutes(5)))
struct SynchronisationTests {
    /// A service whose first answer has no posts, and whose second one has a thousand changes.
    private struct ThousandChanges: Transport {
        func response(
            to request: TransportRequest, progress: (@Sendable (_ sentCount: Int64) -> Void)?
        ) async throws -> TransportResponse {
            switch (request.url.path, request.url.query) {
            case ("/v1/sync", "since=2000.f"): return Self.json(#"{"next":"2000.f","more":false}"#)
            case ("/v1/sync", "since=1.f"):
                let posts = (1...1000).map(Self.post).joined(separator: ",")
                return Self.json(#"{"next":"2000.f","more":false,"feed":{"posts":[\#(posts)]}}"#)
            case ("/v1/sync", _): return Self.json(#"{"next":"1.f","more":true,"feed":{"reset":true,"posts":[]}}"#)
            case let (path, _) where path.hasSuffix(":signInWithPassword"):
                let claims = Data(#"{"sub":"ann","iat":1000,"exp":4600,"user_id":"ann"}"#.utf8).base64EncodedString()
                let token = "e30.\(claims.filter { $0 != "=" }).e30"
                return Self.json(#"{"localId":"ann","idToken":"\#(token)","refreshToken":"r","expiresIn":"3600"}"#)
            default: return TransportResponse(status: 404)
            }
        }

        func stream(for request: TransportRequest) async throws -> TransportStream {
            throw TransportError(.offline)
        }

        private static func json(_ text: String) -> TransportResponse {
            TransportResponse(status: 200, body: Data(text.utf8))
        }

        private static func post(_ number: Int) -> String {
            #"{"post_id":"-P\#(number)","kind":"text","author":{"uid":"jan"},"text":"\#(number)","timestamp":1,"#
                + #""position":"\#(number)"}"#
        }
    }

    /// Counts the transactions of a store.
    private final class CountingStore: RecordStore {
        private let store = MemoryRecordStore()
        private let count = Mutex(0)

        var writeCount: Int { count.withLock(\.self) }

        func read<Result: Sendable>(
            _ body: @Sendable (any RecordReader) throws -> Result
        ) async throws -> Result { try await store.read(body) }

        func write<Result: Sendable>(
            _ durability: Durability, _ body: @Sendable (any RecordWriter) throws -> Result
        ) async throws -> Result {
            count.withLock { $0 += 1 }
            return try await store.write(durability, body)
        }

        func close() async { await store.close() }
    }

    @Test("A thousand changes are one transaction and one redraw")
    func changes() async throws {
        let address = try #require(URL(string: "http://127.0.0.1:9"))
        let client = ServiceClient(service: address, keychain: MemoryKeychain(), transport: ThousandChanges())
        try await client.session.signIn(email: "ann@example.org", password: "password")
        let records = CountingStore()
        try await withFolder { folder in
            let store = LocalStore(client: client, records: records, folder: folder, clock: QuickClock())
            var snapshots = store.feed().snapshots().makeAsyncIterator()
            #expect(try await snapshots.next()?.posts.isEmpty == true)
            let run = Task { try await store.run() }
            defer { run.cancel() }
            // The empty list of the first answer may be a redraw of its own: nothing older is expected any longer.
            var snapshot = try await snapshots.next()
            if snapshot?.posts.isEmpty == true { snapshot = try await snapshots.next() }
            #expect(snapshot?.posts.count == 18 && snapshot?.posts.first?.post.text == "1000")
            // The first answer and the start of sending are some transactions; each change on its own were a thousand.
            #expect(records.writeCount < 15)
            #expect(try await store.feed().loadedCount() == 1000)
        }
    }
}

extension PostFeed {
    /// Returns the number of posts on the device, which this scrolls through.
    fileprivate func loadedCount() async throws -> Int {
        var seen: Set<Post.ID> = []
        for try await snapshot in snapshots() {
            seen.formUnion(snapshot.posts.map(\.id))
            guard snapshot.hasOlder, seen.count < 1000, let last = snapshot.posts.last else { break }
            try await show(last.id)
        }
        return seen.count
    }
}
