import Client
import HTTPTypes
import Model
import TestSupport
import Testing
import Tree

@Suite("The stream of /v1/sync", .timeLimit(.minutes(20)))
struct SyncStreamTests {
    private static let greeting = ": changes follow"

    @Test("A stream brings a copy to the same state as requests do, and continues after each of its ids")
    func stream() async throws {
        try await withService { service in
            try await service.setDefaultRules()
            try await service.addPeople("maria", "jan")
            #expect(try await service.ask(.put, "/v1/people/maria/following/jan", as: "maria").status == 200)
            var copy = SyncCopy()
            try await service.finishJobs()
            try await copy.catchUp(service)
            let headers = try service.headers(of: "maria", ["name": .string("maria")])
                .merging(accept: "text/event-stream")
            let start = copy.next
            let events = try await service.tcpClient.events(
                "/v1/sync", since: start, headers: headers, from: Self.greeting, through: "third"
            ) {
                for text in ["first", "second", "third"] { _ = try await service.client.post(text, by: "jan") }
            }.filter { $0.name == "sync" }
            for event in events {
                #expect(event.id == event.data["next"].string)
                copy.take(event.data)
            }
            #expect(copy.difference(from: try await SyncCopy.whole(service)).isEmpty)
            // From the first event on, the rest is sent again, and nothing else.
            var later = SyncCopy()
            try await later.catchUp(service)
            let first = try #require(events.first?.id)
            let rest = try await service.tcpClient.events(
                "/v1/sync", lastEventID: first, headers: headers, from: Self.greeting, through: Self.greeting
            ).filter { $0.name == "sync" }
            let texts = rest.flatMap { $0.data["feed"]["posts"].array }.compactMap { $0["text"].string }
            #expect(!texts.contains("first") || events.count == 1)
        }
    }
}

extension HTTPFields {
    fileprivate func merging(accept type: String) -> HTTPFields {
        var fields = self
        fields[.accept] = type
        return fields
    }
}
