import Access
import Client
import HTTPTypes
import Logging
import Service
import Social
import Store
import Synchronization
import TestSupport
import Testing
import Tree
import Uploads

@Suite("The outbox over HTTP", .timeLimit(.minutes(20)))
struct SocialOutboxTests {
    private struct Refusal: Error {}

    @Test("32: Dead letters are listed in pages and retried, by admins")
    func deadLetters() async throws {
        try await withService { service in
            let clock = service.pipeline.storage.clock
            try await Outbox(service.tree, clock: clock).setOn(true)
            let post = try await service.client.post("hello", by: "ann") ?? ""
            for number in 0..<3 { try await service.tree.set(try TreePath("likes/\(post)/u\(number)"), to: 1) }
            // Each round advances the clock by hours.
            let hours = Hours(clock())
            let worker = OutboxWorker(service.tree, clock: { hours.next() }, logger: Logger(label: "test")) { _ in
                throw Refusal()
            }
            try await worker.runAll()
            var ids: [String] = []
            var next = ""
            for last in [false, true] {
                let page = try await service.client.get("/v1/outbox?limit=2\(next)").json
                ids += page["deliveries"].array.compactMap { $0["id"].string }
                #expect(page["has_more"].bool == !last)
                next = "&after=\(page["next"].string ?? "")"
            }
            #expect(ids.count == 3 && ids == ids.sorted())
            #expect(try await service.client.get("/v1/outbox?state=waiting").json["deliveries"].array.isEmpty)
            let retry = "/v1/outbox/\(ids[0])/retry"
            #expect(try await service.tcpClient.ask(.post, retry).status == 403)
            #expect(
                try await service.tcpClient.get("/v1/outbox", headers: try service.headers(of: "ann")).status == 403)
            let answer = try await service.client.ask(.post, retry)
            #expect(answer.status == 200 && answer.json["dead"].bool == false && answer.json["to"].string == "ann")
            let waiting = try await service.client.get("/v1/outbox?state=waiting").json["deliveries"].array
            #expect(waiting.map { $0["id"].string } == [ids[0]])
            for id in ["x", "%2F", "000000000000002a-00000000:ann"] {
                #expect(try await service.client.ask(.post, "/v1/outbox/\(id)/retry").status == 404)
            }
            for query in ["state=x", "limit=0", "after=x"] {
                #expect(try await service.client.get("/v1/outbox?\(query)").status == 400)
            }
        }
    }
}

/// A clock that advances by an hour with each read.
private final class Hours: Sendable {
    private let time: Mutex<Timestamp>

    init(_ start: Timestamp) { time = Mutex(start) }

    func next() -> Timestamp {
        time.withLock { time in
            time = time + .seconds(3600)
            return time
        }
    }
}
