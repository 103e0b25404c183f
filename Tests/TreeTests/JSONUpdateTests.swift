import TestSupport
import Testing

@testable import Tree

@Suite struct JSONUpdateTests {
    /// A text, its value as plain JSON, and its value in the export form.
    struct Case: Sendable {
        let text: String
        let plain: String
        let export: String

        init(_ text: String, _ plain: String, export: String? = nil) {
            self.text = text
            self.plain = plain
            self.export = export ?? plain
        }
    }

    static let cases = [
        Case("null", "null"), Case("{}", "null"), Case("[]", "null"), Case("[null,{},[]]", "null"),
        Case("true", "true"), Case(" false\n", "false"), Case("\"a\"", "\"a\""),
        Case("0", "0"), Case("-0", "0"), Case("1.0", "1"), Case("1e3", "1000"), Case("-1.5e-3", "-0.0015"),
        Case("9223372036854775807", "9223372036854775807"), Case("9223372036854775808", "9.223372036854776e+18"),
        Case(#""\u00e9\ud83d\ude00\n\"\\\/""#, #""é😀\n\"\\/""#),
        Case(#"{"b":1,"a":{"c":null,"d":[]},"10":2,"9":3}"#, #"{"9":3,"10":2,"b":1}"#),
        Case(#"{"😀":1,"é":2,"\uFFFD":3}"#, "{\"é\":2,\"😀\":1,\"\u{FFFD}\":3}"),
        Case(#"["a",null,"c"]"#, #"["a",null,"c"]"#, export: #"{"0":"a","2":"c"}"#),
        Case(#"{"1":{"11":{"111":42}}}"#, #"[null,{"11":{"111":42}}]"#, export: #"{"1":{"11":{"111":42}}}"#),
        Case(#"{"0":1,"2":{"0":"x"},"a":3}"#, #"{"0":1,"2":["x"],"a":3}"#, export: #"{"0":1,"2":{"0":"x"},"a":3}"#),
        Case(#"{"00":1,"1":2}"#, #"{"00":1,"1":2}"#), Case(#"{"-1":1,"0":2}"#, #"{"-1":1,"0":2}"#),
        Case(#"{"3":1}"#, #"{"3":1}"#), Case(#"[[[1]]]"#, "[[[1]]]", export: #"{"0":{"0":{"0":1}}}"#),
        Case(#"{".value":5,".priority":1}"#, "5", export: #"{".value":5,".priority":1}"#),
        Case(#"{".priority":"p",".value":"v"}"#, #""v""#, export: #"{".value":"v",".priority":"p"}"#),
        Case(#"{"a":1,".priority":2.5}"#, #"{"a":1}"#, export: #"{".priority":2.5,"a":1}"#),
        Case(
            #"{".priority":2,"a":{".value":1,".priority":"x"}}"#, #"{"a":1}"#,
            export: #"{".priority":2,"a":{".value":1,".priority":"x"}}"#),
        Case(#"{".priority":2}"#, "null"), Case(#"{".priority":2,"a":null}"#, "null"),
        Case(#"{"a":{".priority":2,"b":{}},"c":1}"#, #"{"c":1}"#),
        Case(#"{".priority":null,"a":1}"#, #"{"a":1}"#), Case(#"{".value":null}"#, "null"),
        Case(#"{".sv":"timestamp"}"#, "1234"), Case(#"{"a":{".sv":{"increment":2}}}"#, #"{"a":2}"#),
        Case(
            #"{".value":{".sv":"timestamp"},".priority":{".sv":{"increment":0.5}}}"#, "1234",
            export: #"{".value":1234,".priority":0.5}"#),
    ]

    private static func text(of receipt: JSONReceipt) throws -> String {
        let json = try receipt.json()
        return String(decoding: json, as: UTF8.self)
    }

    private static func text(of path: TreePath, _ form: JSONForm = .plain, in store: TreeStore) async throws -> String {
        let json = try await store.snapshot { try $0.json(of: path, form) }
        return String(decoding: json, as: UTF8.self)
    }

    @Test("a text is stored and can be read back", arguments: EngineKind.allCases)
    func roundTrip(kind: EngineKind) async throws {
        try await withEngine(kind) { engine in
            let store = try await TreeStore(engine: engine, clock: { 1_234 })
            for `case` in Self.cases {
                for place: TreePath in ["", "x/y"] {
                    try await store.set("", to: nil)
                    let receipt = try await store.update(try JSONUpdate(.value, at: place, json: `case`.text.utf8))
                    let (plain, export, etag) = try await store.snapshot { snapshot in
                        (
                            try snapshot.json(of: place), try snapshot.json(of: place, .export),
                            try snapshot.etag(of: place)
                        )
                    }
                    #expect(String(decoding: plain, as: UTF8.self) == `case`.plain, "\(`case`.text)")
                    #expect(String(decoding: export, as: UTF8.self) == `case`.export, "\(`case`.text)")
                    let (answer, answerETag) = (try receipt.json(), try receipt.etag())
                    #expect(answer == plain, "\(`case`.text)")
                    #expect(answerETag == etag, "\(`case`.text)")
                    // Exported values can be imported.
                    try await store.update(try JSONUpdate(.value, at: "copy", json: export))
                    let copy = try await store.snapshot { try $0.json(of: "copy", .export) }
                    #expect(copy == export, "\(`case`.text)")
                }
            }
        }
    }

    @Test("a text may arrive in pieces of any length")
    func pieces() throws {
        for `case` in Self.cases {
            let text = Array(`case`.text.utf8)
            let whole = try JSONUpdate(.value, at: "a", json: text)
            for length in 1...text.count {
                var reader = JSONUpdate.Reader(.value, at: "a")
                var start = 0
                while start < text.count {
                    let piece = Array(text[start..<min(start + length, text.count)])
                    try reader.feed(piece.span)
                    start += length
                }
                #expect(try reader.finish().writes.map(\.rows) == whole.writes.map(\.rows), "\(`case`.text), \(length)")
            }
        }
    }

    static let refused: [(String, TreeError.Code)] = [
        ("", .invalidJSON), (" ", .invalidJSON), ("nul", .invalidJSON), ("NaN", .invalidJSON),
        ("-Infinity", .invalidJSON),
        ("1e999", .invalidJSON), ("01", .invalidJSON), ("1.", .invalidJSON), (".5", .invalidJSON), ("+1", .invalidJSON),
        ("{", .invalidJSON), ("{\"a\"}", .invalidJSON), ("{\"a\":}", .invalidJSON), ("{\"a\":1,}", .invalidJSON),
        ("[1,]", .invalidJSON), ("[1 2]", .invalidJSON), ("1 2", .invalidJSON), ("{a:1}", .invalidJSON),
        ("'a'", .invalidJSON), ("\"a", .invalidJSON), ("\"\\x\"", .invalidJSON), ("\"\\ud800\"", .invalidJSON),
        ("\"\u{1}\"", .invalidJSON), ("[1}", .invalidJSON), ("{\"a\":1]", .invalidJSON), ("]", .invalidJSON),
        (#"{"a":1,"a":2}"#, .invalidJSON), (#"{"b":1,"a":1,"b":2}"#, .invalidJSON),
        (#"{"a":{"x":1},"b":1,"a":{"y":2}}"#, .invalidJSON), (#"{"1":1,"a":2,"\u0031":3}"#, .invalidJSON),
        (#"{".value":1,"a":2}"#, .invalidJSON), (#"{"a":2,".value":1}"#, .invalidJSON),
        (#"{".value":{}}"#, .invalidJSON),
        (#"{".value":[1]}"#, .invalidJSON), (#"{".priority":true,".value":1}"#, .invalidJSON),
        (#"{".priority":{},".value":1}"#, .invalidJSON), (#"{".priority":1,".priority":2,"a":1}"#, .invalidJSON),
        (#"{".sv":"now"}"#, .invalidJSON), (#"{".sv":1}"#, .invalidJSON), (#"{".sv":{}}"#, .invalidJSON),
        (#"{".sv":{"decrement":1}}"#, .invalidJSON), (#"{".sv":{"increment":"1"}}"#, .invalidJSON),
        (#"{".sv":{"increment":{}}}"#, .invalidJSON), (#"{".sv":"timestamp","a":1}"#, .invalidJSON),
        (#"{"a":1,".sv":"timestamp"}"#, .invalidJSON), (#"{".sv":["timestamp"]}"#, .invalidJSON),
        (#"{"":1}"#, .invalidKey), (#"{"a/b":1}"#, .invalidKey), (#"{"a.b":1}"#, .invalidKey),
        (#"{".x":1}"#, .invalidKey),
        (#"{"$a":1}"#, .invalidKey), (#"{"\u0000":1}"#, .invalidKey), (#"{"\u007f":1}"#, .invalidKey),
    ]

    @Test("a text that is not JSON, or not a tree, is refused", arguments: refused)
    func refusal(text: String, code: TreeError.Code) {
        #expect { try JSONUpdate(.value, at: "a", json: text.utf8) } throws: { ($0 as? TreeError)?.code == code }
    }

    @Test("every limit holds while the text arrives")
    func limits() {
        let deep = String(repeating: "[", count: 100_000)
        let key = "{\"" + String(repeating: "k", count: 769) + "\":1}"
        let string = "\"" + String(repeating: "s", count: TreeValue.maxStringBytes + 1) + "\""
        let number = String(repeating: "1", count: 2_000)
        for (text, code) in [
            (deep, TreeError.Code.tooLarge), (key, .invalidKey), (string, .tooLarge), (number, .invalidJSON),
        ] {
            #expect { try JSONUpdate(.value, at: "a", json: text.utf8) } throws: { ($0 as? TreeError)?.code == code }
        }
        var nested = "1"
        for _ in 0..<31 { nested = "{\"a\":\(nested)}" }
        #expect(throws: Never.self) { try JSONUpdate(.value, at: "a", json: nested.utf8) }
        #expect(throws: TreeError.self) { try JSONUpdate(.value, at: "a/b", json: nested.utf8) }
        for bytes: [UInt8] in [
            [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0xEF, 0xBB],
        ] {
            #expect(throws: TreeError.self) { try JSONUpdate(.value, at: "a", json: bytes) }
        }
    }

    @Test("an update is an object of paths, and is applied whole or not at all", arguments: EngineKind.allCases)
    func multiPath(kind: EngineKind) async throws {
        try await withStore(kind) { store in
            try await store.set("", to: ["old": 1, "n": 5])
            let text =
                #"{"a/b":{"c":[1]},"/d//e/":2,"old":null,"n":{".sv":{"increment":-2}},"a/x":3,"a/x/.priority":"p"}"#
            await #expect(throws: TreeError.self) {
                try await store.update(JSONUpdate(.update, at: "", json: text.utf8))
            }
            let good = text.replacing(#","a/x":3,"a/x/.priority":"p""#, with: #","a/.priority":"p""#)
            let receipt = try await store.update(JSONUpdate(.update, at: "", json: good.utf8))
            let json = try await Self.text(of: "", .export, in: store)
            #expect(
                json
                    == #"{"a":{".priority":"p","b":{"c":{"0":1}}},"d":{"e":2},"n":3}"#)
            #expect(
                try Self.text(of: receipt)
                    == #"{"a/.priority":"p","a/b":{"c":[1]},"d/e":2,"n":3,"old":null}"#)
            for bad in ["1", "[1]", "null null", "\"a\"", #"{"a":1,"a/b":2}"#, #"{"a":1,"/a":2}"#, #"{"a.b":1}"#] {
                await #expect(throws: TreeError.self, "\(bad)") {
                    try await store.update(JSONUpdate(.update, at: "", json: bad.utf8))
                }
            }
            let empty = try await store.update(JSONUpdate(.update, at: "", json: "{}".utf8))
            #expect(empty.token == receipt.token)
            let deletion = try await store.update(JSONUpdate(.update, at: "a", json: " null ".utf8))
            #expect(try Self.text(of: deletion) == "null")
            #expect(try await Self.text(of: "", .export, in: store) == #"{"d":{"e":2},"n":3}"#)
        }
    }

    @Test("a priority stays with its node, and is deleted with it", arguments: EngineKind.allCases)
    func priorities(kind: EngineKind) async throws {
        let steps: [(form: JSONUpdate.Form, path: TreePath, text: String, export: String)] = [
            (.priority, "a", "5", "null"),
            (.value, "a", #"{".value":1,".priority":5}"#, #"{"a":{".value":1,".priority":5}}"#),
            (.value, "a/b", "2", #"{"a":{".priority":5,"b":2}}"#),
            (.value, "a/b", "null", "null"),
            (.value, "a/b/c", "1", #"{"a":{"b":{"c":1}}}"#),
            (.priority, "a", "\"p\"", #"{"a":{".priority":"p","b":{"c":1}}}"#),
            (.priority, "a/b", "1", #"{"a":{".priority":"p","b":{".priority":1,"c":1}}}"#),
            (.value, "a/d", "7", #"{"a":{".priority":"p","b":{".priority":1,"c":1},"d":7}}"#),
            (.value, "a/b/c", "null", #"{"a":{".priority":"p","d":7}}"#),
            (.priority, "a", "null", #"{"a":{"d":7}}"#),
            (.priority, "a", "1", #"{"a":{".priority":1,"d":7}}"#),
            (.value, "a", #"{"e":1}"#, #"{"a":{"e":1}}"#),
            (.value, "a", #"{".priority":1,"e":{"f":1}}"#, #"{"a":{".priority":1,"e":{"f":1}}}"#),
            (.value, "a/e/f", "null", "null"),
        ]
        try await withStore(kind) { store in
            for step in steps {
                try await store.update(JSONUpdate(step.form, at: step.path, json: step.text.utf8))
                let json = try await Self.text(of: "", .export, in: store)
                #expect(json == step.export, "\(step)")
            }
        }
    }

    @Test("an increment adds to a number, and starts at 0 for any other value", arguments: EngineKind.allCases)
    func increments(kind: EngineKind) async throws {
        let rows: [(old: TreeValue?, difference: String, new: String)] = [
            (nil, "2", "2"), (3, "2", "5"), (0.5, "2", "2.5"), (0.5, "0.5", "1"), ("text", "1", "1"),
            (true, "1.5", "1.5"),
            (["a": 1], "1", "1"), (.integer(.max), "1", "9.223372036854776e+18"),
        ]
        try await withStore(kind) { store in
            for row in rows {
                try await store.set("n", to: row.old)
                let text = #"{".sv":{"increment":\#(row.difference)}}"#
                let receipt = try await store.update(JSONUpdate(.value, at: "n", json: text.utf8))
                #expect(try Self.text(of: receipt) == row.new)
                #expect(try await Self.text(of: "n", in: store) == row.new)
            }
            try await store.set("n", to: .double(.greatestFiniteMagnitude))
            let text = #"{".sv":{"increment":1.7e308}}"#
            await expectCode(.invalidValue) { try await store.update(JSONUpdate(.value, at: "n", json: text.utf8)) }
        }
    }

    @Test("an update with an ETag is applied only if the node has not changed", arguments: EngineKind.allCases)
    func etags(kind: EngineKind) async throws {
        try await withStore(kind) { store in
            #expect(try await store.snapshot { try $0.etag(of: "n") } == "null_etag")
            try await store.set("n", to: 0)
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for _ in 0..<8 {
                    tasks.addTask {
                        for _ in 0..<10 { try await Self.increment(store) }
                    }
                }
                try await tasks.waitForAll()
            }
            #expect(try await store.get("n") == 80)
        }
    }

    private static func increment(_ store: TreeStore) async throws {
        while true {
            let (value, etag) = try await store.snapshot { (try $0.get("n"), try $0.etag(of: "n")) }
            let next = try JSONUpdate(.value, at: "n", json: "\((value?.integerValue ?? 0) + 1)".utf8)
            do {
                try await store.update(next, if: [.etag("n", etag)])
                return
            } catch {
                guard error.code == .preconditionFailed else { throw error }
            }
        }
    }
}
