import Client
import HTTPTypes
import TestSupport
import Testing
import Tree

@Suite("The database over HTTP", .timeLimit(.minutes(5)))
struct DatabaseTests {
    /// Requests one after the other, each with what is to be answered.
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
        /// The whole body of the answer; nil when it is looked at otherwise.
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

    static let forms = [
        Story(
            "priorities", .init(.put, "/a.json", "{\".value\":1,\".priority\":\"p\"}", is: "1"),
            .init(.get, "/a.json?format=export", is: "{\".value\":1,\".priority\":\"p\"}"),
            .init(.get, "/a/.priority.json", is: "\"p\""), .init(.put, "/a/.priority.json", "2.5", is: "2.5"),
            .init(.get, "/.json?format=export", is: "{\"a\":{\".value\":1,\".priority\":2.5}}"),
            .init(.delete, "/a/.priority.json", is: "null"), .init(.get, "/a/.priority.json", is: "null"),
            .init(.get, "/a.json?format=export", is: "1")),
        Story(
            "print=silent", .init(.put, "/a.json?print=silent", "1", is: "", 204),
            .init(.get, "/a.json?print=silent", is: "", 204),
            .init(.patch, "/.json?print=silent", "{\"b\":1}", is: "", 204),
            .init(.post, "/c.json?print=silent", "1", is: "", 204),
            .init(.delete, "/a.json?print=silent", is: "", 204)),
        Story(
            "print=pretty", .init(.put, "/a.json?print=pretty", "{\"b\":{\"c\":[1,2]},\"d\":\"{}\"}", is: nil),
            .init(
                .get, "/a.json?print=pretty",
                is: "{\n  \"b\": {\n    \"c\": [\n      1,\n      2\n    ]\n  },\n  \"d\": \"{}\"\n}"),
            .init(.patch, "/.json?print=pretty", "{}", is: "{}")),
        Story(
            "shallow", .init(.put, "/a.json", "{\"b\":{\"c\":1},\"d\":2,\"e\":[1]}", is: nil),
            .init(.get, "/a.json?shallow=true", is: "{\"b\":true,\"d\":true,\"e\":true}"),
            .init(.get, "/a/d.json?shallow=true", is: "2"), .init(.get, "/x.json?shallow=true", is: "null"),
            .init(
                .get, "/a.json?shallow=true&orderBy=%22$key%22",
                is: "{\"error\":\"shallow cannot be mixed with other query parameters\"}", 400)),
        Story(
            "shallow in pages, as the vendor's command line walks a tree",
            .init(.put, "/a.json", "{\"10\":1,\"9\":{\"x\":1},\"b\":2,\"c d\":[1],\"e\":\"x\"}", is: nil),
            .init(.get, "/a.json?shallow=true&limitToFirst=2", is: "{\"9\":true,\"10\":true}"),
            .init(.get, "/a.json?shallow=true&limitToFirst=100&timeout=1000ms", is: nil),
            .init(.get, "/a.json?shallow=true&limitToLast=1", is: "{\"e\":true}"),
            .init(.get, "/a.json?shallow=true&limitToFirst=2&startAt=b", is: "{\"b\":true,\"c d\":true}"),
            .init(.get, "/a.json?shallow=true&limitToFirst=2&startAt=%22b%22", is: "{\"b\":true,\"c d\":true}"),
            .init(.get, "/a.json?shallow=true&limitToFirst=2&startAfter=c+d", is: "{\"e\":true}"),
            .init(.get, "/a.json?shallow=true&startAfter=9&endAt=b", is: "{\"10\":true,\"b\":true}"),
            .init(.get, "/a.json?shallow=true&endBefore=b&equalTo=b", is: nil, 400),
            .init(.get, "/a.json?shallow=true&startAfter=e", is: "null"),
            .init(.get, "/a/e.json?shallow=true&limitToFirst=1", is: "null"),
            .init(.get, "/x.json?shallow=true&limitToFirst=1", is: "null"),
            .init(.get, "/a.json?shallow=true&limitToFirst=0", is: nil, 400),
            .init(.get, "/a.json?shallow=true&limitToFirst=1&print=pretty", is: "{\n  \"9\": true\n}")),
        Story(
            "PATCH with null deletes, as the vendor's command line does",
            .init(.put, "/a.json", "{\"b\":{\"c\":1},\"d\":2}", is: nil),
            .init(.patch, "/a/b.json?print=silent&writeSizeLimit=tiny&disableTriggers=false", "null", is: "", 204),
            .init(.get, "/a.json", is: "{\"d\":2}"), .init(.patch, "/a.json", " null ", is: "null"),
            .init(.get, "/.json", is: "null"), .init(.patch, "/a.json", "[null]", is: nil, 400),
            .init(.patch, "/a/.priority.json", "null", is: nil, 400),
            .init(.patch, "/a.json", "null null", is: nil, 400)),
        Story(
            "a tree's own v1 and media are places as all others",
            .init(.put, "/v1/users.json?ns=app", "{\"a\":1}", is: "{\"a\":1}"),
            .init(.put, "/media/x/y/z.json?ns=app", "2", is: "2"), .init(.get, "/v1/users/a.json?ns=app", is: "1"),
            .init(.get, "//v1/users/a.json?ns=app", is: "1"),
            .init(.get, "/.json?ns=app", is: "{\"media\":{\"x\":{\"y\":{\"z\":2}}},\"v1\":{\"users\":{\"a\":1}}}"),
            .init(.get, "/v1/users.json", is: "null")),
        Story(
            "count", .init(.put, "/a.json", "{\"b\":{\"c\":1},\"d\":2}", is: nil),
            .init(.get, "/a.json?count=true", is: "2"), .init(.get, "/a/d.json?count=true", is: "0"),
            .init(.get, "/x.json?count=true", is: "0")),
        Story(
            "callback", .init(.put, "/a.json", "1", is: "1"),
            .init(.get, "/a.json?callback=app.$show_1", is: "/**/app.$show_1(1);"),
            .init(
                .get, "/a.json?callback=alert(1)//",
                is: "{\"error\":\"callback is not the name of a function\"}", 400),
            .init(.get, "/a.json?callback=a..b", is: nil, 400), .init(.get, "/a.json?callback=1a", is: nil, 400)),
        Story(
            "timeout and writeSizeLimit", .init(.get, "/a.json?timeout=3s", is: "null"),
            .init(.get, "/a.json?timeout=10min", is: "null"), .init(.get, "/a.json?timeout=10", is: nil, 400),
            .init(.get, "/a.json?timeout=-1s", is: nil, 400),
            .init(.get, "/a.json?timeout=99999999999999999999s", is: nil, 400),
            .init(.put, "/a.json?writeSizeLimit=tiny", "1", is: "1"),
            .init(.delete, "/a.json?writeSizeLimit=tiny&disableTriggers=true", is: "null"),
            .init(.put, "/a.json?writeSizeLimit=huge", "1", is: nil, 400)),
        Story("unknown parameters are ignored", .init(.get, "/a.json?x=y&z&=&&%zz=1", is: "null")),
        Story(
            "a method can be said otherwise",
            .init(.post, "/a.json", "1", headers: [.named("x-http-method-override"): "PUT"], is: "1"),
            .init(.post, "/.json?x-http-method-override=PATCH", "{\"b\":2}", is: "{\"b\":2}"),
            .init(.post, "/a.json?x-http-method-override=get", is: "1"),
            .init(.post, "/a.json?x-http-method-override=TRACE", is: nil, 400),
            .init(.put, "/a.json", "3", headers: [.named("x-http-method-override"): "DELETE"], is: "3"),
            .init(.post, "/a.json", headers: [.named("x-http-method-override"): "DELETE"], is: "null")),
        Story(
            "tools of emulators", .init(.put, "/.settings/functionTriggers.json", "{}", is: "{\"status\":\"ok\"}"),
            .init(.get, "/.json", is: "null")),
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

    @Test("P12, F1, F16: requests and answers", arguments: values + forms + namespaces + queries)
    func story(_ story: Story) async throws {
        try await withService { service in
            for step in story.steps { try await step.check(service.client) }
        }
    }

    // MARK: - Errors

    private static let invalidData = """
        {"error":"Invalid data; couldn't parse JSON object, array, or value. Perhaps you're using invalid characters in \
        your key names.
        """

    /// A refused request, and how the answer begins.
    static let refusals: [Step] = [
        .init(.put, "/a.json", is: "{\"error\":\"Error: No data supplied.\"}", 400),
        .init(.post, "/a.json", is: "{\"error\":\"Error: No data supplied.\"}", 400),
        .init(.patch, "/a.json", is: "{\"error\":\"Error: No data supplied.\"}", 400),
        .init(.put, "/a.json", "{\"a\":", is: invalidData, 400), .init(.put, "/a.json", "tru", is: invalidData, 400),
        .init(.put, "/a.json", "1 2", is: invalidData, 400), .init(.put, "/a.json", "NaN", is: invalidData, 400),
        .init(.put, "/a.json", "-Infinity", is: invalidData, 400),
        .init(.put, "/a.json", "1e400", is: invalidData, 400), .init(.put, "/a.json", "01", is: invalidData, 400),
        .init(.put, "/a.json", "{'a':1}", is: invalidData, 400),
        .init(.put, "/a.json", "{\"a\":1,}", is: invalidData, 400),
        .init(.put, "/a.json", "{\"a.b\":1}", is: invalidData, 400),
        .init(.put, "/a.json", "{\"a/b\":1}", is: invalidData, 400),
        .init(.put, "/a.json", "{\"\":1}", is: invalidData, 400),
        .init(.put, "/a.json", "{\"a\":1,\"a\":2}", is: invalidData, 400),
        .init(.put, "/a.json", "{\".value\":1,\"a\":2}", is: invalidData, 400),
        .init(.put, "/a.json", "{\".sv\":\"now\"}", is: invalidData, 400),
        .init(.put, "/a.json", "{\".priority\":true,\"a\":1}", is: invalidData, 400),
        .init(.put, "/a.json", "\"\\ud800\"", is: invalidData, 400),
        .init(.patch, "/a.json", "[1]", is: invalidData, 400), .init(.patch, "/a.json", "1", is: invalidData, 400),
        .init(.patch, "/a.json", "{\"a/b.c\":1}", is: invalidData, 400),
        .init(.patch, "/a.json", "{\"b\":{},\"b/c\":1}", is: "{\"error\":\"/a/b: the update also writes /a/b/c", 400),
        .init(
            .patch, "/a.json", "{\"b\":1,\"/b/\":2}", is: "{\"error\":\"/a/b: the update writes this path twice", 400),
        .init(.put, "/a%2Eb.json", "1", is: "{\"error\":\"Invalid path: Invalid token in path", 400),
        .init(.put, "/a%2Fb.json", "1", is: "{\"error\":\"Invalid path: Invalid token in path", 400),
        .init(.get, "/a$b.json", is: "{\"error\":\"Invalid path: Invalid token in path", 400),
        .init(.get, "/%ff.json", is: "{\"error\":\"Invalid path: Invalid token in path", 400),
        .init(.get, "/%4.json", is: "{\"error\":\"Invalid path: Invalid token in path", 400),
        .init(.get, "/a%00.json", is: "{\"error\":\"Invalid path: Invalid token in path", 400),
        .init(
            .get, "/" + String(repeating: "a/", count: 33) + ".json",
            is: "{\"error\":\"Invalid path: Invalid token in path", 400),
        .init(.get, "/.priority/a.json", is: "{\"error\":\"Invalid path: Invalid token in path", 400),
        .init(.patch, "/a/.priority.json", "{}", is: "{\"error\":\"Invalid path", 400),
        .init(.post, "/a/.priority.json", "1", is: "{\"error\":\"Invalid path", 400),
        .init(.put, "/a/.priority.json", "{\"b\":1}", is: invalidData, 400),
        .init(.get, "/nowhere", is: "append .json to your request URI to use the REST API.", 404),
        .init(.put, "/nowhere", "1", is: "append .json to your request URI to use the REST API.", 404),
        .init(.trace, "/a.json", is: "{\"error\":", 405),
    ]

    @Test(arguments: refusals.indices)
    func refused(_ index: Int) async throws {
        let row = Self.refusals[index]
        try await withService { service in
            let body = row.body.map { RequestBody.bytes(Array($0.utf8)) } ?? .none
            let given = try await service.client.ask(row.method, row.path, headers: row.headers, body: body)
            #expect(given.status == row.status, "\(given.text)")
            #expect(given.text.hasPrefix(row.answer ?? ""), "\(given.text)")
            #expect(try await service.client.get("/.json").text == "null", "nothing was written")
        }
    }

    // MARK: - Headers

    @Test("Every answer says what it is, and that all may read it")
    func headers() async throws {
        try await withService { service in
            for (method, path) in [
                (HTTPRequest.Method.get, "/a.json"), (.delete, "/a.json"), (.put, "/a.json"), (.get, "/$.json"),
            ] {
                let headers = try await service.client.ask(method, path).headers
                #expect(headers[.contentType] == "application/json; charset=utf-8")
                #expect(headers[.cacheControl] == "no-cache")
                #expect(headers[.accessControlAllowOrigin] == "*")
                #expect(headers[.accessControlExposeHeaders]?.contains("ETag") == true)
            }
            let script = try await service.client.get("/a.json?callback=f")
            #expect(script.headers[.contentType] == "application/javascript; charset=utf-8")
        }
    }

    @Test("A browser's question is answered with what it asks for")
    func preflight() async throws {
        try await withService { service in
            let answer = try await service.client.ask(
                .options, "/a.json",
                headers: [
                    .origin: "https://app.example", .accessControlRequestMethod: "PATCH",
                    .accessControlRequestHeaders: "x-firebase-etag, if-match",
                ])
            #expect(answer.status == 200)
            #expect(answer.body.isEmpty)
            #expect(answer.headers[.accessControlAllowOrigin] == "*")
            #expect(answer.headers[.accessControlAllowHeaders] == "x-firebase-etag, if-match")
            #expect(answer.headers[.accessControlAllowMethods]?.contains("PATCH") == true)
        }
    }

    @Test(
        "A download has a name that no file system minds",
        arguments: [("tree.json", "tree.json"), ("a\"b\r\nc/..", "a_b__c_.."), ("grüße", "gr__e"), ("", "")])
    func download(asked: String, name: String) async throws {
        try await withService { service in
            let encoded = asked.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            let answer = try await service.client.get("/a.json?download=\(encoded)")
            #expect(answer.headers[.contentDisposition] == "attachment; filename=\"\(name)\"")
        }
    }

    @Test("HEAD has the headers of GET and no body")
    func head() async throws {
        try await withService { service in
            _ = try await service.client.ask(.put, "/a.json", body: .bytes(Array("\"text\"".utf8)))
            let answer = try await service.client.ask(.head, "/a.json", headers: [.named("x-firebase-etag"): "true"])
            #expect(answer.status == 200)
            #expect(answer.body.isEmpty)
            #expect(answer.headers[.contentLength] == "6")
            #expect(answer.headers[.eTag]?.isEmpty == false)
        }
    }

    @Test("POST gives keys in the order of time, and a token tells what a reader has seen")
    func push() async throws {
        try await withService { service in
            var names: [String] = []
            for number in 0..<5 {
                let answer = try await service.client.ask(.post, "/a.json", body: .bytes(Array("\(number)".utf8)))
                #expect(answer.json.keys == ["name"])
                names.append(answer.json["name"].string ?? "")
            }
            #expect(names == names.sorted() && Set(names).count == 5)
            let all = try await service.client.get("/a.json")
            #expect(names.map { all.json[$0].int } == [0, 1, 2, 3, 4])
            let changes = try await service.tree.changes(since: .start, limit: 100)
            #expect(all.headers[.named("tintype-token")] == changes.last.map { "\($0.token)" })
        }
    }
}
