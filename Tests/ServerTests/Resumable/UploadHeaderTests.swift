import TestSupport
import Testing
import Transport
import TreeModel

@testable import Server

@Suite("Header fields of uploads in several requests")
struct UploadHeaderTests {
    @Test(
        "A Boolean is ?1 or ?0, with parameters or without",
        arguments: [
            ("?1", true), ("?0", false), (" ?1 ", true), ("?1;a", true), ("?1; a=1;b=\"x\\\"y\"", true), ("?2", nil),
            ("1", nil), ("true", nil), ("", nil), ("?", nil), ("?1,", nil), ("?1 x", nil), ("?1;", nil), ("?1;A", nil),
            ("?1;a=", nil), ("?1;a=\"x", nil), ("?1;a=\"\\x\"", nil), ("?1?1", nil), ("?1, ?1", nil),
        ] as [(String, Bool?)])
    func booleans(text: String, value: Bool?) {
        #expect(StructuredField.boolean(text) == value)
    }

    @Test(
        "An Integer has at most 15 digits, and is not negative here",
        arguments: [
            ("0", 0), ("00", 0), ("42", 42), ("999999999999999", 999_999_999_999_999), ("7;q=1", 7),
            ("1000000000000000", nil), ("-1", nil), ("+1", nil), ("1.0", nil), ("", nil), ("1 2", nil), ("0x1", nil),
            ("１", nil),
        ] as [(String, Int?)])
    func integers(text: String, value: Int?) {
        #expect(StructuredField.integer(text) == value)
    }

    @Test(
        "Metadata are names with values in Base64; malformed ones are ignored",
        arguments: [
            ("filename bGFrZS5qcGc=", ["filename": "lake.jpg"], []), ("a,b YQ==", ["a": "", "b": "a"], []),
            (" a  YQ== , b YQ== ", ["a": "a", "b": "a"], []), ("a YQ,b YWI", ["a": "a", "b": "ab"], []),
            ("", [:], []), (",", [:], []), ("a YQ==,", ["a": "a"], []), ("\u{e9} YQ==,b YQ==", ["b": "a"], []),
            ("a /w==,b YQ==", ["b": "a"], ["a"]), ("a Y,b !,c YQ==", ["c": "a"], ["a", "b"]),
            ("a YQ==  x,b YQ==", ["b": "a"], ["a"]), ("a YQ==,a YQ==,b YQ==", ["b": "a"], ["a"]),
            ("a !,a YQ==", [:], ["a"]),
        ] as [(String, [String: String], Set<String>)])
    func metadata(field: String, texts: [String: String], unreadable: Set<String>) {
        #expect(UploadMetadata(field)?.texts == texts)
        #expect(UploadMetadata(field)?.unreadable == unreadable)
    }

    @Test func thereIsAnEndToMetadata() {
        let pairs = (0..<65).map { "k\($0)" }
        #expect(UploadMetadata(pairs.prefix(64).joined(separator: ",")) != nil)
        #expect(UploadMetadata(pairs.joined(separator: ",")) == nil)
    }

    @Test(
        "A checksum is an algorithm and a digest in Base64",
        arguments: [
            ("sha1 2jmj7l5rSw0yVb/vlWAYkK/YBwk=", true), ("SHA1 2jmj7l5rSw0yVb/vlWAYkK/YBwk=", true), ("sha1", false),
            ("sha1 ", false), ("sha1 x y", false), (" sha1", false), ("sha1 \u{e9}", false), ("", false),
            ("md5 kAFQmDzST7DWlj99KOF/cg==", true), ("crc32 AAAAAA==", false),
        ])
    func checksums(field: String, isValid: Bool) {
        #expect((UploadChecksum(field) != nil) == isValid)
    }

    @Test func timesAreWrittenAsHTTPWritesThem() {
        #expect(HTTPDate.text(of: Timestamp(milliseconds: 784_111_777_999)) == "Sun, 06 Nov 1994 08:49:37 GMT")
    }
}
