import Client
import HTTPTypes
import Requests
import TestSupport
import Testing
import TreeModel

@Suite("The description of the service", .timeLimit(.minutes(20)))
struct OpenAPITests {
    @Test("Described paths are served, with the described methods and no others")
    func methods() async throws {
        try await withRoutes { service in
            let answer = try await service.client.get("/v1/openapi.json")
            #expect(answer.status == 200 && answer.headers[.contentType] == "application/json")
            #expect(answer.json["openapi"].string == "3.1.0")
            let paths = answer.json["paths"]
            #expect(paths.keys.count > 20)
            for path in paths.keys where !path.contains(".googleapis.com/") {
                let address = path.replacing(/\{[a-z]+\}/, with: "x")
                let refusal = try await service.client.ask(.named("QUERY"), address)
                #expect(refusal.status == 405 && refusal.json["code"].string == "method_not_allowed", "\(path)")
                var methods = Set(paths[path].keys.map { $0.uppercased() })
                if methods.contains("GET") { methods.insert("HEAD") }
                #expect(Set(refusal.headers[.allow]?.split(separator: ", ").map(String.init) ?? []) == methods)
            }
        }
    }

    @Test("A field that is not described is refused, except by files and probes")
    func unknownFields() async throws {
        try await withRoutes { service in
            let paths = try await service.client.get("/v1/openapi.json").json["paths"]
            for path in paths.keys where !path.contains(".googleapis.com/") {
                for method in paths[path].keys {
                    let answer = try await service.client.ask(
                        .named(method.uppercased()), path.replacing(/\{[a-z]+\}/, with: "x") + "?no=1")
                    #expect((answer.status == 400) == path.hasPrefix("/v1/"), "\(method) \(path): \(answer.text)")
                }
            }
        }
    }

    @Test("Described identity endpoints are served, and refuse an empty request in Google's form")
    func identity() async throws {
        try await withRoutes { service in
            let paths = try await service.client.get("/v1/openapi.json").json["paths"]
            let described = paths.keys.filter { $0.contains(".googleapis.com/") }
            #expect(described.count == 14)
            // Guests sign up, and passkeys are offered, without a field.
            for path in described where ![":signUp", "/passkeySignIn:start"].contains(where: path.hasSuffix) {
                #expect(paths[path].keys == ["post"])
                let answer = try await service.tcpClient.ask(.post, path)
                #expect(answer.status == 400 && answer.json["error"]["code"].int == 400, "\(path): \(answer.text)")
            }
        }
    }

    @Test("Pages for people are served and not described")
    func pages() async throws {
        try await withRoutes { service in
            let paths = try await service.client.get("/v1/openapi.json").json["paths"]
            for page in ["/", "/search", "/account", "/embed.js"] {
                #expect(try await service.client.get(page).status == 200)
                #expect(!paths.keys.contains(page))
            }
        }
    }

    @Test(
        "The server is the public address; without one it is the address of the description",
        arguments: [
            (nil, "/"), ("https://photos.example", "https://photos.example"),
        ])
    func servers(origin: String?, address: String) {
        let description = OpenAPI(RouteTable(), version: "1.2.3", origin: origin).document
        #expect(description["servers"] == [["url": .string(address)]])
        #expect(description["info"]?["version"] == "1.2.3")
        #expect(description["info"]?["contact"]?["url"] == origin.map(JSONValue.string))
    }

    @Test("It is the only address ending in .json that is not a path of the database")
    func beside() async throws {
        try await withRoutes { service in
            let refusal = try await service.client.get("/v1/openapi.json?x=1")
            #expect(refusal.json["code"].string == "bad_request")
            for path in ["/v1/openapi/x.json", "/openapi.json"] {
                let answer = try await service.client.get(path)
                #expect(answer.text == "null", "\(path)")
            }
        }
    }
}

extension HTTPRequest.Method {
    fileprivate static func named(_ name: String) -> HTTPRequest.Method { HTTPRequest.Method(name) ?? .get }
}
