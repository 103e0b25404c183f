import Client
import HTTPTypes
import TestSupport
import Testing

@Suite("Hashtags by their beginning", .timeLimit(.minutes(20)))
struct HashtagTests {
    private func found(_ query: String, _ service: RoutedService) async throws -> [String] {
        let page = try await service.client.get("/v1/hashtags\(query)").json
        return page["hashtags"].array.map { "\($0["tag"].string ?? "") \($0["posts"].int ?? -1)" }
    }

    @Test("Hashtags are found in any case, counted, and paged in their order")
    func search() async throws {
        try await withRoutes { service in
            for text in ["#Sun #sunset", "#sunday #sun", "#su", "#CAFÉ #2024sun #2023", "#sun"] {
                let post = #"{"author":{"uid":"maria"},"timestamp":1,"text":"\#(text)"}"#
                _ = try await service.client.ask(.post, "/posts.json", body: .bytes(Array(post.utf8)))
            }
            #expect(try await found("?search=SUN", service) == ["sun 3", "sunday 1", "sunset 1"])
            #expect(try await found("?search=%23sun", service) == ["sun 3", "sunday 1", "sunset 1"])
            #expect(try await found("?search=sund", service) == ["sunday 1"])
            #expect(try await found("?search=cafe%CC%81", service) == ["café 1"])
            #expect(try await found("?search=20", service) == ["2024sun 1"])
            #expect(try await found("?search=nothing", service) == [])
            #expect(try await found("", service) == ["2024sun 1", "café 1", "su 1", "sun 3", "sunday 1", "sunset 1"])
            let first = try await service.client.get("/v1/hashtags?search=su&limit=3").json
            #expect(first["has_more"].bool == true && first["next"].string == "sunday")
            let rest = try await service.client.get("/v1/hashtags?search=su&limit=3&after=sunday").json
            #expect(rest["hashtags"].array.count == 1 && rest["has_more"].bool == false && rest["next"] == .null)
        }
    }

    @Test("A text that cannot begin a hashtag is refused")
    func refusals() async throws {
        try await withRoutes { service in
            for query in ["search=a%20b", "search=%23%23", "search=a%2Fb", "limit=0", "limit=51", "after=", "x=1"] {
                let answer = try await service.client.get("/v1/hashtags?\(query)")
                #expect(answer.status == 400, "\(query)")
            }
        }
    }
}
