import Client
import HTTPTypes
import TestSupport
import Testing

@Suite("The database over HTTP: refusals", .timeLimit(.minutes(20)))
struct DatabaseRefusalTests {
    private static let invalidData = """
        {"error":"Invalid data; couldn't parse JSON object, array, or value. Perhaps you're using invalid characters in \
        your key names.
        """

    /// The refused requests, each with the beginning of the answer.
    static let refusals: [DatabaseTests.Step] = [
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
}
