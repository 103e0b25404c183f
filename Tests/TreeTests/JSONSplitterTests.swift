import TestSupport
import Testing

@testable import Tree

@Suite("A text in pieces has the same result as the whole text")
struct JSONSplitterTests {
    /// Returns the pieces of a text that arrives in chunks.
    private func pieces(
        _ json: String, _ form: JSONSplitter.Form = .value, at path: TreePath = .root, maxPieceBytes: Int = 1 << 20,
        maxPaths: Int = 1000, chunk: Int = 7
    ) throws -> [JSONSplitter.Piece] {
        var splitter = JSONSplitter(form, at: path, maxPieceBytes: maxPieceBytes, maxPaths: maxPaths)
        let bytes = Array(json.utf8)
        var pieces: [JSONSplitter.Piece] = []
        for start in stride(from: 0, to: bytes.count, by: chunk) {
            let part = Array(bytes[start..<min(start + chunk, bytes.count)])
            pieces += try splitter.feed(part.span)
        }
        if let last = try splitter.finish() { pieces.append(last) }
        return pieces
    }

    private func show(_ pieces: [JSONSplitter.Piece]) -> [String] {
        pieces.map { ($0.form == .update ? "+" : "=") + String(decoding: $0.json, as: UTF8.self) }
    }

    @Test(
        "A text may be split after each leaf",
        arguments: [
            ("1", ["=1"]), ("null", ["=null"]), ("{}", ["={}"]), ("[]", ["=[]"]), ("\"a\\u00e9\\n\"", ["=\"aé\\n\""]),
            (" { \"a\" : 1.5e1 } ", ["={\"a\":15}"]), ("[1,[2,3]]", ["=[1]", "+{\"1\":[2]}", "+{\"1/1\":3}"]),
            (
                "{\"a\":{\"b\":1,\"c\":{\"d\":true}},\"e\":\"f\"}",
                ["={\"a\":{\"b\":1}}", "+{\"a/c\":{\"d\":true}}", "+{\"e\":\"f\"}"]
            ),
            (
                "{\"a\":{\".priority\":1,\"b\":{},\"c\":null,\"d\":2,\"e\":3}}",
                ["={\"a\":{\".priority\":1,\"b\":{},\"c\":null,\"d\":2}}", "+{\"a/e\":3}"]
            ),
            (
                "{\"a\":{\".value\":1,\".priority\":2},\"b\":{\".priority\":3,\".value\":4}}",
                ["={\"a\":{\".value\":1,\".priority\":2}}", "+{\"b\":{\".priority\":3,\".value\":4}}"]
            ),
            (
                "{\"a\":{\".sv\":{\"increment\":1}},\"b\":{\".sv\":\"timestamp\"}}",
                ["={\"a\":{\".sv\":{\"increment\":1}}}", "+{\"b\":{\".sv\":\"timestamp\"}}"]
            ),
        ] as [(String, [String])])
    func cuts(json: String, expected: [String]) throws {
        for chunk in [1, 3, 1000] { #expect(show(try pieces(json, maxPieceBytes: 1, chunk: chunk)) == expected) }
    }

    @Test("An update replaces each child with its own first piece, and keeps the other children")
    func update() throws {
        let json = "{\"a\":{\"b\":1,\"c\":2},\"d\":null,\"e\":3}"
        #expect(show(try pieces(json, .update)) == ["+" + json])
        #expect(
            show(try pieces(json, .update, maxPieceBytes: 1)) == [
                "+{\"a\":{\"b\":1}}", "+{\"a/c\":2}", "+{\"d\":null}", "+{\"e\":3}",
            ])
        #expect(
            show(try pieces(json, .update, maxPaths: 2)) == ["+{\"a\":{\"b\":1,\"c\":2},\"d\":null}", "+{\"e\":3}"])
        #expect(try pieces("{}", .update).isEmpty)
    }

    @Test(
        "Errors are reported with their offsets",
        arguments: [
            ("{\"a\":1,", TreeError.Code.invalidJSON, 7), ("{\"a\":1}}", .invalidJSON, 7),
            ("{\"a.b\":1}", .invalidKey, 1), ("{\"a/b\":1}", .invalidKey, 1), ("{\"\":1}", .invalidKey, 1),
            ("{\".other\":1}", .invalidKey, 1), ("[1,NaN]", .invalidJSON, 3),
            (String(repeating: "[", count: 33) + "1", .tooLarge, 33),
        ] as [(String, TreeError.Code, Int)])
    func faults(json: String, code: TreeError.Code, offset: Int) throws {
        var splitter = JSONSplitter(.value)
        let bytes = Array(json.utf8)
        let error = #expect(throws: TreeError.self) {
            _ = try splitter.feed(bytes.span)
            _ = try splitter.finish()
        }
        #expect(error?.code == code, "\(json)")
        #expect(splitter.offset == offset, "\(json)")
        #expect(throws: TreeError.self) { try pieces("[1]", .update) }
        #expect(throws: TreeError.self) { try pieces("1", .update) }
    }

    @Test("Random trees with priorities survive splitting into pieces of random lengths")
    func property() async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let json = random.json(depth: 5)
            let whole = try await TreeStore(engine: MemoryEngine())
            let split = try await TreeStore(engine: MemoryEngine())
            try await split.set("p/old", to: ["a": 1])
            try await whole.update(JSONUpdate(.value, at: "p", json: json.utf8))
            let maxPieceBytes = Int.random(in: 1...80, using: &random)
            for piece in try pieces(json, at: "p", maxPieceBytes: maxPieceBytes, maxPaths: 3) {
                try await split.update(JSONUpdate(piece.form == .value ? .value : .update, at: "p", json: piece.json))
            }
            let (expected, result) = (try await whole.export("p"), try await split.export("p"))
            #expect(expected == result, "seed \(seed): \(json)")
            await whole.close()
            await split.close()
        }
    }
}

extension TreeStore {
    fileprivate func export(_ path: TreePath) async throws -> String {
        try await snapshot { String(decoding: try $0.json(of: path, .export), as: UTF8.self) }
    }
}

extension SeededGenerator {
    /// Returns a text that may contain every kind of value and container.
    fileprivate mutating func json(depth: Int) -> String {
        let choice = Int.random(in: 0..<(depth > 0 ? 12 : 6), using: &self)
        switch choice {
        case 0: return "null"
        case 1: return "true"
        case 2: return "\(Int.random(in: -9...9, using: &self))"
        case 3: return "\"é\""
        case 4: return "{\".value\":1,\".priority\":\"p\"}"
        case 5: return "0.5"
        case 6, 7:
            let elements = (0..<Int.random(in: 0...4, using: &self)).map { _ in json(depth: depth - 1) }
            return "[" + elements.joined(separator: ",") + "]"
        default:
            var members = (0..<Int.random(in: 0...5, using: &self)).map { "\"k\($0)\":" + json(depth: depth - 1) }
            if choice == 8 {
                members.insert("\".priority\":\(depth)", at: Int.random(in: 0...members.count, using: &self))
            }
            return "{" + members.joined(separator: ",") + "}"
        }
    }
}
