import TestSupport
import Testing

@testable import Tree

@Suite struct KeyTests {
    @Test(
        "keys that are refused",
        arguments: [
            "", ".", "a.b", "$key", "#", "a[0]", "]", "a/b", "\u{0}", "a\u{1F}", "\n", "\u{7F}",
            String(repeating: "é", count: 385),
        ])
    func refused(text: String) async {
        await expectCode(.invalidKey) { _ = try TreeKey(text) }
    }

    @Test("keys that are accepted", arguments: [" ", "-", "é", "👩‍👩‍👧", "a b", "\u{80}", "%2F", "\\", "\""])
    func taken(text: String) throws {
        #expect(try TreeKey(text).string == text)
    }

    @Test("a key may have 768 bytes")
    func longest() throws {
        #expect(try TreeKey(String(repeating: "é", count: 384)).string.utf8.count == TreeKey.maxBytes)
    }

    @Test("composed and decomposed accents are two different keys")
    func canonicalEquivalence() async throws {
        let (composed, decomposed) = ("\u{E9}" as TreeKey, "e\u{301}" as TreeKey)
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        #expect(TreeValue.string("\u{E9}") != .string("e\u{301}"))
        try await withStore(.sqlite) { store in
            try await store.set(TreePath([composed]), to: 1)
            #expect(try await store.get(TreePath([decomposed])) == nil)
            try await store.set(TreePath([decomposed]), to: 2)
            #expect(try await store.keys(of: .root) == [decomposed, composed])
        }
    }

    /// Integers by number, ties by length; then UTF-16 order: surrogates (D800–DFFF) come before E000–FFFF.
    static let ordered: [TreeKey] = [
        "-2147483648", "-5", "-05", "-1", "0", "-0", "00", "-00", "000", "1", "01", "001", "2", "9", "10", "2147483647",
        " 1", "+1", "-", "--1", "-2147483649", "0x1", "1 ", "1a", "2147483648", "99999999999", "A", "a", "a0", "ab",
        "b",
        "e\u{301}", "\u{80}", "\u{E9}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{10000}", "\u{1F600}", "\u{10FFFF}",
        "\u{E000}", "\u{FFFD}", "\u{FFFF}",
    ]

    @Test("compared keys and encoded keys have the same order")
    func order() {
        #expect(Self.ordered.shuffled().sorted() == Self.ordered)
        let encoded = Self.ordered.map { StoreFormat.dataKey(TreePath([$0])) }
        #expect(encoded.shuffled().sorted { $0.lexicographicallyPrecedes($1) } == encoded)
    }

    @Test("paths survive encoding, and the encoding is ordered and prefix-free")
    func encodingRoundTrip() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        let keys = try (0..<5_000).map { _ in try TreeKey(random.keyText()) } + Self.ordered
        for key in keys {
            let encoded = StoreFormat.dataKey(TreePath([key, "x", key]))
            let decoded = try StoreFormat.path(ofDataKey: encoded.span)
            #expect(decoded == TreePath([key, "x", key]), "seed \(seed)")
        }
        for (left, right) in zip(keys, keys.shuffled(using: &random)) where left != right {
            let (a, b) = (StoreFormat.dataKey(TreePath([left])), StoreFormat.dataKey(TreePath([right])))
            #expect((left < right) == a.lexicographicallyPrecedes(b), "seed \(seed): \(left), \(right)")
            #expect(!a.starts(with: b) && !b.starts(with: a), "seed \(seed): \(left), \(right)")
        }
    }

    @Test("bytes that encode no path are an error, never a trap")
    func malformedEncoding() {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<20_000 {
            let length = Int.random(in: 0...12, using: &random)
            let tags: [UInt8] = [0x10, 0x20, 0x00, 0x01, 0x61, 0xED, 0xA0, 0xB0, 0xF0]
            let bytes = (0..<length).map { _ in tags.randomElement(using: &random) ?? 0 }
            do {
                let path = try StoreFormat.path(ofDataKey: ([0x10] + bytes).span)
                #expect(path.keys.allSatisfy { (try? TreeKey($0.string)) != nil })
            } catch {
                #expect(error.code == .corrupt)
            }
            _ = try? LeafEncoding.decode(bytes.span)
        }
    }
}

@Suite struct PathTests {
    @Test(
        "empty segments collapse",
        arguments: [("", 0), ("/", 0), ("//", 0), ("a", 1), ("/a/", 1), ("a//b", 2), ("/a/\u{301}b/c/", 3)])
    func segments(text: String, depth: Int) throws {
        #expect(try TreePath(text).depth == depth)
    }

    @Test("paths that are refused", arguments: ["a/b.c", "a/$b", "[", "a/\u{0}"])
    func refused(text: String) async {
        await expectCode(.invalidKey) { _ = try TreePath(text) }
    }

    @Test("a path has at most 32 keys")
    func depth() async throws {
        #expect(try TreePath(String(repeating: "a/", count: 32)).depth == 32)
        await expectCode(.tooLarge) { _ = try TreePath(String(repeating: "a/", count: 33)) }
        try await withStore(.memory) { store in
            let deepest = try TreePath(String(repeating: "a/", count: 32))
            try await store.set(deepest, to: 1)
            #expect(try await store.get(deepest) == 1)
            await expectCode(.tooLarge) { try await store.set(deepest / "b", to: 1) }
            await expectCode(.tooLarge) { try await store.set(deepest, to: ["b": 1]) }
            #expect(try await store.get(deepest / "b") == nil)
        }
    }

    @Test("ancestors and relatives")
    func relations() throws {
        let path: TreePath = "a/b/c"
        #expect(path.description == "/a/b/c" && TreePath.root.description == "/")
        #expect(path.parent == "a/b" && path.lastKey == "c" && TreePath.root.parent == nil)
        #expect(TreePath.root.isAncestor(of: path) && TreePath("a/b").isAncestor(of: path))
        #expect(!path.isAncestor(of: path) && !TreePath("a/b").isAncestor(of: "a/bc"))
        #expect(TreePath("a") / "b" / "c" == path && TreePath("a").appending("b/c") == path)
    }
}

extension SeededGenerator {
    /// Returns a text that is near an edge of the key order.
    fileprivate mutating func keyText() -> String {
        if chance(40) {
            let digits = String(
                Int64.random(in: -3_000_000_000...3_000_000_000, using: &self) >> Int.random(in: 0...33, using: &self))
            return chance(30) ? digits.replacing("-", with: "-00") : chance(30) ? "0" + digits : digits
        }
        let scalars: [Unicode.Scalar] = [
            "a", "b", "0", "-", "é", "\u{301}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}",
        ]
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 1...6, using: &self) { text.append(scalars.randomElement(using: &self) ?? "a") }
        return String(text)
    }
}
