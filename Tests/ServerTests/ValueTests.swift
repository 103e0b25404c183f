import API
import Testing

@testable import Requests
@testable import Server
@testable import Transport

@Suite("Small values from requests and settings")
struct ValueTests {
    @Test(
        arguments: [
            ("", nil, [:]), ("a=1&b=2", nil, ["a": "1", "b": "2"]), ("text=a+b%20c%2B", nil, ["text": "a b c+"]),
            ("t=%C3%A9%F0%9F%91%8D", nil, ["t": "é👍"]), ("a", nil, ["a": ""]), ("a=b=c", nil, ["a": "b=c"]),
            ("&&a=1&", nil, ["a": "1"]), ("a=1&a=1", nil, ["a": "1"]), ("a=1&a=2", "twice", [:]),
            ("c=1", "there is no field \"c\"", [:]), ("A=1", "there is no field \"A\"", [:]),
            ("=1", "no field \"\"", [:]),
            ("a=%", "percent", [:]), ("a=%4", "percent", [:]), ("a=%zz", "percent", [:]), ("a=%ff", "percent", [:]),
            ("%C3=1", "percent", [:]),
        ] as [(String, String?, [String: String])])
    func formFields(text: String, refusal: String?, expected: [String: String]) {
        do {
            let fields = try RequestFields(urlEncoded: text, names: ["a", "b", "t", "text"])
            #expect(refusal == nil)
            for (name, value) in expected { #expect(fields[name] == value) }
        } catch {
            #expect(refusal.map(error.message.contains) == true, "\(error)")
        }
    }

    @Test("A field that may be repeated is a list, and accepted values can be written back")
    func lists() throws {
        var fields = try RequestFields(urlEncoded: "alt=a&text=t&alt=&alt=a", names: ["text", "alt"], lists: ["alt"])
        #expect(fields.list("alt") == ["a", "", "a"] && fields["text"] == "t" && fields.list("nothing").isEmpty)
        try fields.set("alt", list: ["b"])
        #expect(fields.list("alt").last == "b")
        #expect(throws: Failure.self) { try fields.set("text", list: ["t"]) }
        #expect(fields.take("text") == "t" && fields["text"] == nil)
        try fields.set("text", "another")
        #expect(fields["text"] == "another")
    }

    @Test(
        "Ranges of a file of 10 bytes",
        arguments: [
            (nil, .whole), ("bytes=0-3", .part(0..<4)), ("bytes=5-", .part(5..<10)), ("bytes=-3", .part(7..<10)),
            ("bytes=-30", .part(0..<10)), ("bytes=9-9", .part(9..<10)), ("bytes=9-99", .part(9..<10)),
            ("bytes=0-99999999999999999999999", .part(0..<10)), ("BYTES=0-0", .part(0..<1)),
            ("bytes=10-", .unsatisfiable), ("bytes=99999999999999999999999-", .unsatisfiable),
            ("bytes=10-20", .unsatisfiable), ("bytes=-0", .unsatisfiable),
            ("bytes=3-2", .whole), ("bytes=0-1,4-5", .whole), ("bytes=", .whole), ("bytes=-", .whole),
            ("bytes=a-b", .whole), ("bytes=+1-2", .whole), ("bytes=1", .whole), ("lines=0-1", .whole), ("", .whole),
        ] as [(String?, RequestedRange)])
    func byteRanges(header: String?, expected: RequestedRange) {
        #expect(RequestedRange(header: header, byteCount: 10) == expected)
    }

    @Test(arguments: ["bytes=0-", "bytes=0-0", "bytes=-1"])
    func anEmptyFileHasNoRange(header: String) {
        #expect(RequestedRange(header: header, byteCount: 0) == .unsatisfiable)
    }

    @Test(
        "A listen address is an IP address and a port",
        arguments: [
            ("127.0.0.1:8080", "127.0.0.1:8080", true), ("localhost:0", "127.0.0.1:0", true),
            ("[::1]:80", "[::1]:80", true), ("127.1.2.3:65535", "127.1.2.3:65535", true),
            ("0.0.0.0:8080", "0.0.0.0:8080", false), ("[::]:8080", "[::]:8080", false), ("*:443", "[::]:443", false),
            ("192.168.1.2:80", "192.168.1.2:80", false), ("example.org:80", nil, false), ("127.0.0.1", nil, false),
            ("127.0.0.1:", nil, false), ("127.0.0.1:99999", nil, false), (":80", nil, false),
            ("127.0.0.1.evil.org:80", nil, false), ("127.0.0.256:80", nil, false), ("127.0.0.+1:80", nil, false),
            ("", nil, false), ("[::1:80", nil, false),
        ] as [(String, String?, Bool)])
    func listenAddresses(text: String, expected: String?, isLoopback: Bool) {
        let address = try? ListenAddress(text)
        #expect(address?.description == expected)
        #expect(address?.isLoopback ?? false == isLoopback)
    }

    @Test(
        "A network contains the addresses that begin with the same bits",
        arguments: [
            ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.0.0.7", "10.0.0.7", true),
            ("10.0.0.7", "10.0.0.8", false), ("0.0.0.0/0", "198.51.100.1", true),
            ("192.0.2.128/25", "192.0.2.127", false),
            ("192.0.2.128/25", "192.0.2.200", true), ("10.0.0.0/8", "::ffff:10.1.2.3", true),
            ("2001:db8::/32", "2001:db8:1::1", true), ("2001:db8::/32", "2001:db9::1", false),
            ("::/0", "10.0.0.1", false),
        ])
    func networks(network: String, address: String, isIn: Bool) throws {
        #expect(try #require(IPNetwork(parsing: network)).contains(try #require(IPAddress(address))) == isIn)
    }

    @Test(arguments: ["", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0/8", "10.0.0.0/8/8", "::/129", "host/8"])
    func whatIsNoNetwork(text: String) { #expect(IPNetwork(parsing: text) == nil) }
}
