import API
import Testing
import TreeModel

@Suite("Idempotency keys")
struct ClientReferenceTests {
    static let rows: [(reference: String, key: TreeKey?)] = [
        ("one", "one"), ("a b", "a b"), ("~!", "~!"), ("one % [.]", "one %25 %5B%2E%5D"), ("$#/", "%24%23%2F"),
        (String(repeating: "x", count: 200), TreeKey(unchecked: String(repeating: "x", count: 200))),
        ("", nil), (String(repeating: "x", count: 201), nil), ("é", nil), ("a\tb", nil), ("a\nb", nil),
        ("a\u{7F}", nil),
    ]

    @Test("A key is accepted if it matches the described pattern", arguments: rows)
    func pattern(reference: String, key: TreeKey?) throws {
        #expect(try reference.contains(Regex(ClientReference.pattern)) == (key != nil))
        #expect((try? ClientReference.key(reference)) == key)
    }
}
