import Client
import HTTPTypes
import TestSupport
import Testing

@Suite("The database over HTTP", .timeLimit(.minutes(20)))
struct DatabaseTests {
    /// Requests one after the other, each with the expected answer.
    struct Story: Sendable, CustomTestStringConvertible {
        let name: String
        let steps: [Step]

        init(_ name: String, _ steps: Step...) {
            self.name = name
            self.steps = steps
        }

        var testDescription: String { name }
    }

    struct Step: Sendable {
        let method: HTTPRequest.Method
        let path: String
        var headers: HTTPFields = [:]
        var body: String?
        let status: Int
        /// The whole body of the answer; nil when it is checked separately.
        let answer: String?

        init(
            _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil, headers: HTTPFields = [:],
            is answer: String?, _ status: Int = 200
        ) {
            self.method = method
            self.path = path
            self.headers = headers
            self.body = body
            self.status = status
            self.answer = answer
        }

        func check(_ client: ServiceClient) async throws {
            let body = body.map { RequestBody.bytes(Array($0.utf8)) } ?? .none
            let given = try await client.ask(method, path, headers: headers, body: body)
            #expect(given.status == status, "\(method) \(path): \(given.text)")
            if let answer { #expect(given.text == answer, "\(method) \(path)") }
        }
    }

    static let values = [
        Story(
            "a value is got as it was put",
            .init(.put, "/a.json", "{\"b\":[1,2.5,\"x\",true]}", is: "{\"b\":[1,2.5,\"x\",true]}"),
            .init(.get, "/a.json", is: "{\"b\":[1,2.5,\"x\",true]}"), .init(.get, "/a/b/2.json", is: "\"x\""),
            .init(.get, "/.json", is: "{\"a\":{\"b\":[1,2.5,\"x\",true]}}")),
        Story("nothing is null, never 404", .init(.get, "/a/b.json", is: "null"), .init(.get, "/.json", is: "null")),
        Story(
            "null deletes, and parents go with their last child", .init(.put, "/a/b/c.json", "1", is: "1"),
            .init(.put, "/a/b/c.json", "null", is: "null"), .init(.get, "/.json", is: "null")),
        Story(
            "DELETE is null whether or not anything was there", .init(.put, "/a.json", "1", is: "1"),
            .init(.delete, "/a.json", is: "null"), .init(.delete, "/a.json", is: "null")),
        Story(
            "PATCH answers with what was sent, its values resolved",
            .init(.put, "/a.json", "{\"n\":1,\"m\":{\"x\":1}}", is: nil),
            .init(
                .patch, "/a.json", "{\"n\":{\".sv\":{\"increment\":2}},\"/m/x\":null,\"p/q\":true}",
                is: "{\"m/x\":null,\"n\":3,\"p/q\":true}"),
            .init(.get, "/a.json", is: "{\"n\":3,\"p\":{\"q\":true}}"), .init(.patch, "/a.json", "{}", is: "{}")),
        Story(
            "segments are decoded, empty ones collapse",
            .init(.put, "//caf%C3%A9//a%20b/.json", "1", is: "1"),
            .init(.get, "/caf%c3%a9/a%20b.json", is: "1"), .init(.get, "/.json", is: "{\"café\":{\"a b\":1}}")),
        Story(
            "integers stay whole, one value however it is written", .init(.put, "/a.json", "1.0", is: "1"),
            .init(.put, "/a.json", "9007199254740993", is: "9007199254740993"),
            .init(.put, "/a.json", "1e2", is: "100")),
        Story(
            "objects with integer keys are arrays while they are dense",
            .init(.put, "/a.json", "{\"0\":\"a\",\"2\":\"c\"}", is: "[\"a\",null,\"c\"]"),
            .init(.put, "/a/9.json", "1", is: "1"), .init(.get, "/a.json", is: "{\"0\":\"a\",\"2\":\"c\",\"9\":1}")),
    ]

    static let namespaces = [
        Story(
            "each namespace is a tree of its own", .init(.put, "/a.json?ns=one", "1", is: "1"),
            .init(.get, "/a.json?ns=two", is: "null"), .init(.get, "/a.json", is: "null"),
            .init(.get, "/a.json?ns=ONE", is: "1"), .init(.put, "/a.json", "0", is: "0"),
            .init(.get, "/a.json?ns=tintype", is: "0"), .init(.get, "/a.json?ns=Tintype", is: "0")),
        Story(
            "a name that no tree can have", .init(.get, "/a.json?ns=a%2Fb", is: nil, 404),
            .init(.get, "/a.json?ns=", is: nil, 404), .init(.get, "/a.json?ns=.x", is: nil, 404)),
    ]

    @Test("P12, F1, F16: Requests and answers", arguments: values + forms + namespaces + queries)
    func story(_ story: Story) async throws {
        try await withService { service in
            for step in story.steps { try await step.check(service.client) }
        }
    }
}
