import TestSupport

extension SeededGenerator {
    /// Keys that are few enough to collide often, and of all kinds that the key order and addresses distinguish.
    static let keys: [ModelText] = [
        "a", "b", "c", "é", "e\u{301}", "0", "1", "2", "3", "01", "-0", "-5", "10", "2147483648", "\u{FFFD}",
        "\u{10400}", "a b", "%2F", "+&=", "\"\\", "~",
    ]

    mutating func key() -> ModelText { chance(60) ? pick(Array(Self.keys.prefix(8))) : pick(Self.keys) }

    /// Returns a path, mostly in one of a few parts of the tree, so that writers, readers and listeners meet.
    mutating func path(maxDepth: Int = 4) -> ModelPath {
        guard !chance(3), maxDepth > 0 else { return [] }
        let top: [ModelText] = ["a", "list", "s"]
        return [chance(90) ? pick(top) : key()] + (0..<below(maxDepth)).map { _ in key() }
    }

    mutating func leaf() -> NaiveJSON {
        switch below(6) {
        case 0: .leaf(.bool(chance(50)))
        case 1: .leaf(.integer(pick([0, 1, 2, 9, -1, 1 << 53 + 1, .max, .min])))
        case 2: .leaf(ModelLeaf(pick([0.5, -0.0, 1e300, 2.2250738585072014e-308, -2.25, 1e21, 0.1])))
        case 3: .leaf(.integer(Int64(below(20))))
        default: .leaf(.text(pick(["", "x", "y", "é", "e\u{301}", "\u{0}\u{1F600}\n", "\"\\/", "a", "1", "\u{FFFD}"])))
        }
    }

    /// Returns a value that a client may send.
    mutating func value(depth: Int = 3, serverValues: ServerValues) -> NaiveJSON {
        let kind = below(100)
        if depth == 0 || kind < 40 { return scalar(serverValues) }
        if kind < 50 { return .array((0..<below(4)).map { _ in value(depth: depth - 1, serverValues: serverValues) }) }
        if kind < 58 {
            return .members((".value", scalar(serverValues)), (".priority", priority(serverValues)))
        }
        var keys = (0..<below(5)).map { _ in key() }
        keys = Array(Set(keys)).sorted { $0.precedesAsKey($1) }.shuffled(using: &self)
        var members = keys.map { NaiveJSON.Member(key: $0, value: value(depth: depth - 1, serverValues: serverValues)) }
        if chance(15) {
            members.insert(.init(key: ".priority", value: priority(serverValues)), at: below(members.count + 1))
        }
        return .object(members)
    }

    /// The server values of a request: where the answer does not contain the time, it cannot be learned.
    enum ServerValues { case sums, all }

    mutating func scalar(_ serverValues: ServerValues) -> NaiveJSON {
        switch below(20) {
        case 0: .null
        case 1: .members((".sv", .members(("increment", increment()))))
        case 2 where serverValues == .all: .members((".sv", .string("timestamp")))
        default: leaf()
        }
    }

    private mutating func increment() -> NaiveJSON {
        .leaf(pick([.integer(1), .integer(-3), .integer(.max), .double(0.5)]))
    }

    mutating func priority(_ serverValues: ServerValues) -> NaiveJSON {
        while true {
            let scalar = scalar(serverValues)
            if case .leaf(.bool) = scalar { continue }
            return scalar
        }
    }

    /// Returns a text that is not a valid value.
    mutating func invalidBody() -> [UInt8] {
        let good = value(serverValues: .sums).text
        let texts = [
            "", "NaN", "[1,]", "{\"a\":1,\"a\":2}", "{\"a.b\":1}", "{\"a/b\":{}}", "{\"\":null}", "{\"a\":1 \"b\":2}",
            "01",
            "1e999", "{\".value\":1,\"a\":2}", "{\".priority\":true,\"a\":1}", "{\".priority\":[1],\".value\":2}",
            "{\".sv\":\"now\"}", "{\".sv\":{\"increment\":\"1\"}}", "{\".sv\":\"timestamp\",\"a\":1}", "{\".foo\":1}",
            "\"\\ud800\"", "\"\\x\"", "\"\n\"", "tru", "\"", "{", "[[[", good + "}", good + good, "{\"a\":" + good,
            "{\".value\":{\"a\":1}}", "{\"$a\":1}", "'a'", "\u{FEFF}1", ".5", "-", "1.", "+1",
        ]
        return chance(10) ? [34, 0xC3, 34] : Array(pick(texts).utf8)
    }
}
