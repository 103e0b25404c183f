import Client
import HTTPTypes
import TestSupport
import Testing

@Suite("A copy that is synchronised equals the lists", .timeLimit(.minutes(20)))
struct SyncModelTests {
    private static let people = ["maria", "jan", "eve", "tom"]

    /// Performs a random action of somebody, by a route or by the database.
    private static func act(_ number: Int, _ service: RoutedService, _ random: inout SeededGenerator) async throws {
        let (one, other) = (people.randomElement(using: &random) ?? "", people.randomElement(using: &random) ?? "")
        let post = "p\(Int.random(in: 0..<8, using: &random))"
        let audience = ["c", "d"].randomElement(using: &random) ?? ""
        func write(_ path: String, _ json: String, _ method: HTTPRequest.Method = .put) async throws {
            _ = try await service.client.ask(method, "/\(path).json", body: .bytes(Array(json.utf8)))
        }
        let text = #"{"timestamp":1,"text":"t\#(number)","author":{"uid":"\#(one)","full_name":"\#(one)"}}"#
        switch Int.random(in: 0..<24, using: &random) {
        case 0...3: try await write("posts/\(post)", text)
        case 4: _ = try await service.client.ask(.delete, "/posts/\(post).json")
        case 5: try await write("posts/\(post)/text", "\"edited \(number)\"")
        case 6: try await write("posts/\(post)/author/uid", "\"\(one)\"")
        case 7: _ = try await service.ask(.put, "/v1/people/\(one)/following/\(other)", as: one)
        case 8: _ = try await service.ask(.delete, "/v1/people/\(one)/following/\(other)", as: one)
        case 9: if one != other { try await write("blocking/\(other)/\(one)", number % 2 == 0 ? "true" : "null") }
        case 10...12: try await write("likes/\(post)/\(one)", number % 3 == 0 ? "null" : "\(number)")
        case 13, 14:
            try await write(
                "comments/\(post)/c\(number % 4)", number % 5 == 0 ? "null" : text)
        case 15: _ = try await service.ask(.patch, "/v1/people/\(one)", as: one, #"{"full_name":"\#(one) \#(number)"}"#)
        case 16: try await write("audiences/\(audience)/members/maria", number % 2 == 0 ? "\"reader\"" : "null")
        case 17: try await write("audiences/\(audience)/name", "\"class \(number)\"")
        case 18, 19:
            try await write(
                "audience_posts/a\(number % 4)",
                """
                {"timestamp":1,"text":"a\(number)","author":{"uid":"jan"},"audiences":{"\(audience)":true}}
                """)
        case 20: try await write("audience_posts/a\(number % 4)", "null")
        case 21:
            let body = number % 2 == 0 ? #"{"all":true}"# : #"{"ids":["000000000000002a-00000000"]}"#
            _ = try await service.ask(.post, "/v1/people/maria/notifications/read", as: "maria", body)
        case 22:
            _ = try await service.client.ask(
                .post, "/v1/announcements?as=jan", headers: [.contentType: "application/json"],
                body: .bytes(Array(#"{"text":"news \#(number)"}"#.utf8)))
        default: _ = try await service.client.get("/v1/people/maria/feed?limit=1")
        }
    }

    @Test("After any actions, one request brings the copy to the state of the lists", arguments: 0..<6)
    func equality(seed: Int) async throws {
        try await withRoutes { service in
            try await service.setDefaultRules()
            try await service.addPeople("maria", "jan", "eve", "tom")
            for audience in ["c", "d"] {
                let made = try await service.ask(
                    .put, "/v1/audiences/\(audience)", as: "jan", #"{"name":"x","kind":"class"}"#)
                #expect(made.status == 201, "\(made.text)")
            }
            var random = SeededGenerator(seed: UInt64(seed))
            var copy = SyncCopy()
            try await copy.catchUp(service)
            for round in 0..<25 {
                let count = Int.random(in: 1...12, using: &random)
                for number in 0..<count { try await Self.act(round * 12 + number, service, &random) }
                try await service.finishJobs()
                try await copy.catchUp(service)
                let whole = try await SyncCopy.whole(service)
                let difference = copy.difference(from: whole)
                try #require(difference.isEmpty, "round \(round): \(difference.joined(separator: "\n"))")
            }
            #expect(copy.changes > 10)
        }
    }
}
