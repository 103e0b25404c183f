import API
import Access
import Database
import Testing
import Tree

@Suite("A session reads and writes, without a wire", .timeLimit(.minutes(20)))
struct SessionTests {
    /// An operation of a session.
    enum Step: Sendable {
        case set(DatabasePath, String, ifETag: String? = nil)
        case update(DatabasePath, String)
        case push(DatabasePath, String)
        case remove(DatabasePath, ifETag: String? = nil)

        /// Performs the operation.
        func take(in session: DatabaseSession) async throws -> WriteReceipt {
            switch self {
            case .set(let path, let text, let etag):
                var write = try session.set(path)
                try write.receive(Array(text.utf8).span)
                return try await session.commit(write, on: WriteTerms(etag: etag))
            case .update(let path, let text):
                var write = try session.update(path)
                try write.receive(Array(text.utf8).span)
                return try await session.commit(write)
            case .push(let path, let text):
                var write = try session.push(to: path, as: session.makeKey())
                try write.receive(Array(text.utf8).span)
                return try await session.commit(write)
            case .remove(let path, let etag): return try await session.remove(path, on: WriteTerms(etag: etag))
            }
        }
    }

    /// An operation of a client, and its result.
    struct Row: Sendable {
        let identity: Identity
        let step: Step
        let outcome: String
        /// The whole tree after the operation.
        let tree: String

        init(_ identity: Identity, _ step: Step, _ outcome: String = "done", tree: String) {
            (self.identity, self.step, self.outcome, self.tree) = (identity, step, outcome, tree)
        }
    }

    private static let before = "{\"a\":{\"b\":1,\"c\":\"x\"}}"
    private static let a = DatabasePath("a")
    private static let b = DatabasePath("a/b")
    private static let root = DatabasePath(.root)
    private static let priority = DatabasePath("a/b", isPriority: true)

    static let rows = [
        Row(.anonymous, .set(b, "2"), tree: "{\"a\":{\"b\":2,\"c\":\"x\"}}"),
        Row(.anonymous, .set(a, "null"), tree: "null"),
        Row(.anonymous, .set(priority, "\"p\""), tree: before),
        Row(.anonymous, .set(b, "2", ifETag: "stale"), "precondition_failed", tree: before),
        Row(.anonymous, .set(b, ""), "no_data", tree: before),
        Row(.anonymous, .set(b, "{"), "invalid_json", tree: before),
        Row(.anonymous, .update(a, "{\"b\":null,\"d/e\":true}"), tree: "{\"a\":{\"c\":\"x\",\"d\":{\"e\":true}}}"),
        Row(.anonymous, .update(a, "{\"b\":1,\"b/c\":2}"), "conflicting_paths", tree: before),
        Row(.anonymous, .update(priority, "{}"), "invalid_path", tree: before),
        Row(.anonymous, .push(priority, "1"), "invalid_path", tree: before),
        Row(.anonymous, .remove(b), tree: "{\"a\":{\"c\":\"x\"}}"), Row(.anonymous, .remove(priority), tree: before),
        Row(.anonymous, .remove(b, ifETag: "stale"), "precondition_failed", tree: before),
        // The whole tree may be replaced by its owner only.
        Row(.anonymous, .set(root, "1"), "permission_denied", tree: before),
        Row(.anonymous, .remove(root), "permission_denied", tree: before),
        Row(.anonymous, .update(root, "null"), "permission_denied", tree: before),
        Row(.anonymous, .update(root, "{\"a\":null}"), tree: "null"),
        Row(.admin, .set(root, "1"), tree: "1"), Row(.admin, .remove(root), tree: "null"),
        Row(.admin, .update(root, "null"), tree: "null"),
    ]

    @Test("Each write is applied or refused by its kind and its author", arguments: rows)
    func writes(row: Row) async throws {
        try await withDatabase { fixture in
            _ = try await Step.set(Self.root, Self.before).take(in: fixture.owner)
            let session = fixture.database.session(as: row.identity)
            #expect(await outcome { _ = try await row.step.take(in: session) } == row.outcome)
            #expect(try await fixture.owner.text(of: .root) == row.tree)
        }
    }

    @Test("A throw-away tree may be replaced by any client, and so may a tree with a name of its own")
    func throwAway() async throws {
        try await withDatabase(isThrowAway: true) { fixture in
            _ = try await Step.set(Self.root, "1").take(in: fixture.stranger)
            #expect(try await fixture.owner.text(of: .root) == "1")
        }
        try await withDatabase { fixture in
            let other = TreePath([], in: try Namespace("other"))
            _ = try await Step.set(DatabasePath(other), "1").take(in: fixture.stranger)
            #expect(try await fixture.owner.text(of: other) == "1")
        }
    }

    @Test("Pushed children are in the order of time")
    func push() async throws {
        try await withDatabase { fixture in
            for number in 0..<5 { _ = try await Step.push(Self.a, "\(number)").take(in: fixture.stranger) }
            let children = try await fixture.tree.children(of: "a")
            #expect(children.map(\.value) == (0..<5).map { TreeValue.integer($0) })
        }
    }

    @Test("A receipt has the server's values, and the ETag that a condition uses")
    func receipt() async throws {
        try await withDatabase { fixture in
            _ = try await Step.set(Self.b, "40").take(in: fixture.stranger)
            let receipt = try await Step.set(Self.b, "{\".sv\":{\"increment\":2}}").take(in: fixture.stranger)
            #expect(String(decoding: try receipt.json(), as: UTF8.self) == "42")
            let etag = try receipt.etag()
            _ = try await Step.set(Self.b, "43", ifETag: etag).take(in: fixture.stranger)
            #expect(
                await outcome { _ = try await Step.remove(Self.b, ifETag: etag).take(in: fixture.stranger) }
                    == "precondition_failed")
            #expect(try await fixture.stranger.text(of: "a/b") == "43")
        }
    }

    @Test("A write has a limit, for its declared length and for its bytes")
    func writeSizeLimit() async throws {
        try await withDatabase { fixture in
            let limit = WriteSizeLimit.tiny
            var write = try fixture.stranger.set(Self.a, limit: limit)
            #expect(throws: Failure.self) { try write.check(announced: limit.maxBytes + 1) }
            let string = Array("\"\(String(repeating: "x", count: 1 << 20))\",".utf8)
            let strings = (0...limit.maxBytes / string.count).flatMap { _ in string }
            let text = Array("[".utf8) + strings.dropLast(strings.count + 1 - limit.maxBytes)
            try write.receive(text.span)
            #expect(throws: Failure.self) { try write.receive(Array("1".utf8).span) }
        }
    }

    // MARK: - Reading

    @Test(
        "A node is read in each of its forms",
        arguments: [
            (.value(.plain), "{\"b\":1,\"c\":[true]}"),
            (.value(.export), "{\"b\":{\".value\":1,\".priority\":\"p\"},\"c\":{\"0\":true}}"),
            (.keys, "{\"b\":true,\"c\":true}"), (.count, "2"), (.priority, "null"), (.nothing, ""),
        ] as [(ReadRequest.Part, String)])
    func parts(part: ReadRequest.Part, text: String) async throws {
        try await withDatabase { fixture in
            let json = "{\"b\":{\".value\":1,\".priority\":\"p\"},\"c\":[true]}"
            _ = try await Step.set(Self.a, json).take(in: fixture.stranger)
            #expect(try await fixture.stranger.text(of: "a", part) == text)
        }
    }

    @Test("A reader with the current value is notified of that; a frame surrounds the text")
    func etagAndFrame() async throws {
        try await withDatabase { fixture in
            let etag = try await Step.set(Self.a, "{\"b\":1}").take(in: fixture.stranger).etag()
            let known = ReadRequest(.value(.plain), at: "a", wantsETag: true, knownETag: etag)
            guard case .unchanged(etag) = try await fixture.stranger.get(known) else {
                Issue.record("it was read again")
                return
            }
            let frame = TextFrame(beginning: "<", end: ">", isPretty: true)
            let framed = ReadRequest(.value(.plain), at: "a", wantsETag: true, knownETag: "other", in: frame)
            guard case .text(let text, let token, let now) = try await fixture.stranger.get(framed) else {
                Issue.record("it was not read")
                return
            }
            #expect(try text.text == "<{\n  \"b\": 1\n}>")
            #expect(now == etag)
            #expect(token == (try await fixture.tree.token))
        }
    }

    @Test("A query selects its children; one without an index is refused, even when no part of it is read")
    func queries() async throws {
        try await withDatabase { fixture in
            _ = try await Step.set(Self.a, "{\"x\":3,\"y\":1,\"z\":2}").take(in: fixture.stranger)
            let last = try TreeQuery(order: .key, from: nil, to: nil, limit: .last(1), isDescending: false)
            let answer = try await fixture.stranger.get(ReadRequest(.value(.plain), at: "a", matching: last))
            guard case .text(let text, _, _) = answer else {
                Issue.record("it was not read")
                return
            }
            #expect(try text.text == "{\"z\":2}")
            let byChild = try TreeQuery(
                order: TreeQuery.Order(json: "\"n\""), from: nil, to: nil, limit: nil, isDescending: false)
            let code = await outcome {
                _ = try await fixture.stranger.get(ReadRequest(.nothing, at: "a", matching: byChild))
            }
            #expect(code == "index_not_defined")
        }
    }

    @Test("Reading has a time limit, and long answers have a limit of bytes")
    func bounds() async throws {
        try await withDatabase(maxSpooledBytes: 1 << 20) { fixture in
            let value = "\"\(String(repeating: "x", count: 3 << 20))\""
            _ = try await Step.set(Self.b, value).take(in: fixture.stranger)
            let request = ReadRequest(.value(.plain), at: "a")
            let first = try await fixture.stranger.get(request, within: .seconds(100))
            let second = try await fixture.stranger.get(request)
            #expect(fixture.spool.usedBytes == 1 << 20)
            #expect(await outcome { _ = try await fixture.stranger.get(request) } == "too_many_reads")
            withExtendedLifetime((first, second)) {}
        }
    }

    // MARK: - The owner

    @Test("Only the owner reads and sets rules")
    func rules() async throws {
        try await withDatabase { fixture in
            #expect(await outcome { _ = try fixture.stranger.rules(of: .main) } == "permission_denied")
            let rules = try fixture.owner.rules(of: .main)
            #expect(try await rules.text(isStrict: false) == "{\"rules\":{}}")
            try await rules.replace(by: Array("// ours\n{\"rules\":{\"a\":{\".indexOn\":\"n\"}}}".utf8))
            #expect(try await rules.text(isStrict: false).hasPrefix("// ours\n"))
            #expect(try await rules.text(isStrict: true).hasPrefix("       \n"))
            #expect(await outcome { try await rules.replace(by: [0xFF]) } == "bad_request")
        }
    }

    @Test("The log names, at its finest level, the writers and the listeners")
    func trace() async throws {
        try await withDatabase { fixture in
            _ = try await Step.set(Self.b, "1").take(in: fixture.stranger)
            _ = try await Step.remove(Self.a).take(in: fixture.owner)
            _ = await outcome { _ = try await Step.set(Self.root, "1").take(in: fixture.stranger) }
            #expect(fixture.logLines == ["written by anonymous at /a/b", "written by admin at /a"])
        }
    }
}
