import Foundation
import Testing
import TintypeClient
import TintypeModel

@Suite("Paths, keys, values and queries from outside")
struct TreeInputTests {
    /// A transport through which nothing may be sent.
    private struct NoTransport: Transport {
        func response(
            to request: TransportRequest, progress: (@Sendable (_ sentCount: Int64) -> Void)?
        ) async throws -> TransportResponse { throw TransportError(.offline, "\(request.url) was sent") }

        func stream(for request: TransportRequest) async throws -> TransportStream {
            throw TransportError(.offline, "\(request.url) was sent")
        }
    }

    private func client() throws -> ServiceClient {
        let url = try #require(URL(string: "http://localhost"))
        return ServiceClient(service: url, keychain: MemoryKeychain(), transport: NoTransport())
    }

    private static let badKeys = [
        "", ".", "..", "a.b", "#", "$uid", "[0]", "a]", "a/b", "/", "a\n", "\u{0}", "\u{7F}", "a\u{1F}",
        String(repeating: "x", count: 769), String(repeating: "ü", count: 385),
    ]

    @Test("A bad key is refused before anything is sent", arguments: badKeys)
    func keys(_ key: String) async throws {
        let tree = try client().tree
        await #expect(throws: TreeInputError.self) { try await tree.child("a").child(key).value() }
        await #expect(throws: TreeInputError.self) { try await tree.child(key).child("a").set(1) }
        await #expect(throws: TreeInputError.self) { try await tree.set(["a": [.object([key: 1])]]) }
        if !key.isEmpty {
            let events = tree.of(Event.self)
            await #expect(throws: TreeInputError.self) { try await events.get(EntityID(key)) }
            await #expect(throws: TreeInputError.self) { try await events.get(["a", EntityID(key)]) }
            await #expect(throws: TreeInputError.self) { try await events.write(Event(id: EntityID(key), title: "")) }
            await #expect(throws: TreeInputError.self) { try await events.remove(EntityID(key)) }
            var snapshots = try events.observe(EntityID(key)).makeAsyncIterator()
            await #expect(throws: TreeInputError.self) { _ = try await snapshots.next() }
        }
    }

    @Test("An entity without an id is refused", arguments: ["get", "update", "remove"])
    func noID(_ operation: String) async throws {
        let events = try client().tree("events").of(Event.self)
        await #expect(throws: EncodingError.self) {
            switch operation {
            case "get": _ = try await events.get("")
            case "update": try await events.update("", ["title": "x"])
            default: try await events.remove("")
            }
        }
    }

    @Test(
        "A bad path is refused before anything is sent",
        arguments: ["a//b", "a/", "//", "a.json", "a/$b", Array(repeating: "a", count: 33).joined(separator: "/")])
    func paths(_ path: String) async throws {
        let client = try client()
        await #expect(throws: TreeInputError.self) { try await client.tree(path).value() }
        await #expect(throws: TreeInputError.self) { try await client.tree.update([path: 1]) }
        await #expect(throws: TreeInputError.self) { try await client.tree.update(["b": 1], ifMatch: [path: "x"]) }
        await #expect(throws: TreeInputError.self) { try await client.tree.values(at: ["b", path]) }
        #expect(client.tree(path).path == "")
    }

    @Test("A value that is too deep for its path is refused, and one at the limit is not")
    func depth() async throws {
        let deep = (0..<31).reduce(JSONValue.integer(1)) { value, _ in ["a": value] }
        let tree = try client().tree
        await #expect(throws: TreeInputError.self) { try await tree.child("x").child("y").set(deep) }
        await #expect(throws: TransportError.self) { try await tree.child("x").set(deep) }
    }

    @Test("Server values and priorities are not bad keys")
    func ownNames() async throws {
        let tree = try client().tree("a")
        for value in [
            .serverTime, .increment(by: 2), .increment(by: 0.5), [".value": 1, ".priority": 2],
        ] as [JSONValue] {
            await #expect(throws: TransportError.self) { try await tree.set(value) }
        }
    }

    private static let badQueries: [TreeQuery] = [
        TreeQuery(by: .child("")), TreeQuery(by: .child("a.b")), TreeQuery(by: .child("$key")),
        TreeQuery().starting(at: 5), TreeQuery().equal(to: nil), TreeQuery(by: .value).equal(to: ["a"]),
        TreeQuery(by: .value).ending(at: [:]), TreeQuery(by: .value).starting(after: .double(.nan)),
        TreeQuery().first(0), TreeQuery().last(-1),
    ]

    @Test("A bad query is refused before anything is sent", arguments: badQueries)
    func queries(_ query: TreeQuery) async throws {
        let events = try client().tree("events").of(Event.self)
        await #expect(throws: TreeInputError.self) { try await events.query(query) }
        var snapshots = events.observe(query).makeAsyncIterator()
        await #expect(throws: TreeInputError.self) { _ = try await snapshots.next() }
    }
}
