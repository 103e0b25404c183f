import HTTPTypes
import NIOCore
import Testing

@testable import Transport

@Suite("Proxies that forward the address of the client")
struct ProxyTests {
    @Test(
        "The client is the last address that is not a trusted proxy's",
        arguments: [
            ("forwarded", ["for=192.0.2.7"], "192.0.2.7"),
            ("forwarded", ["for=198.51.100.9, for=192.0.2.7;proto=https;by=10.0.0.1"], "192.0.2.7"),
            ("forwarded", ["For=\"[2001:db8::7]:4711\""], "2001:db8::7"),
            ("forwarded", ["for=192.0.2.7", "for=10.0.0.2"], "192.0.2.7"),
            ("forwarded", ["for=_hidden"], nil), ("forwarded", ["proto=https"], nil), ("forwarded", [""], nil),
            ("x-forwarded-for", ["192.0.2.7"], "192.0.2.7"),
            ("x-forwarded-for", ["1.2.3.4, 192.0.2.7, 10.0.0.9"], "192.0.2.7"),
            ("x-forwarded-for", ["192.0.2.7:4711"], "192.0.2.7"), ("x-forwarded-for", ["2001:db8::7"], "2001:db8::7"),
            ("x-forwarded-for", ["10.0.0.3, 10.0.0.9"], nil), ("x-forwarded-for", ["somebody"], nil),
            ("cf-connecting-ip", ["192.0.2.7"], "192.0.2.7"),
        ] as [(String, [String], String?)])
    func clients(field: String, values: [String], expected: String?) throws {
        var proxies = try #require(TrustedProxies(parsing: "10.0.0.0/8"))
        proxies.announcement = try #require(TrustedProxies.Announcement(field: field))
        var fields = HTTPFields()
        let name = try #require(HTTPField.Name(field))
        for value in values { fields.append(HTTPField(name: name, value: value)) }
        #expect(proxies.client(of: fields) == expected)
        // The client itself may have sent these, as the proxy writes no other field.
        for other in ["forwarded", "x-forwarded-for", "cf-connecting-ip"] where other != field {
            fields.append(HTTPField(name: try #require(HTTPField.Name(other)), value: "for=203.0.113.1"))
        }
        #expect(proxies.client(of: fields) == expected)
    }

    @Test(
        "A request came over TLS if the nearest proxy says so",
        arguments: [
            ("x-forwarded-for", "x-forwarded-proto", ["https"], true),
            ("x-forwarded-for", "x-forwarded-proto", ["HTTPS"], true),
            ("x-forwarded-for", "x-forwarded-proto", ["http, https"], true),
            ("x-forwarded-for", "x-forwarded-proto", ["https", "http"], false),
            ("x-forwarded-for", "x-forwarded-proto", [""], false), ("x-forwarded-for", "x-forwarded-proto", [], false),
            ("x-forwarded-for", "forwarded", ["proto=https"], false),
            ("forwarded", "forwarded", ["for=192.0.2.7;Proto=\"https\""], true),
            ("forwarded", "forwarded", ["for=192.0.2.7;proto=https, for=192.0.2.8"], false),
            ("forwarded", "forwarded", ["for=192.0.2.7;proto=http"], false),
            ("forwarded", "x-forwarded-proto", ["https"], false),
        ] as [(String, String, [String], Bool)])
    func encryption(field: String, reported: String, values: [String], isEncrypted: Bool) throws {
        var proxies = try #require(TrustedProxies(parsing: "10.0.0.0/8"))
        proxies.announcement = try #require(TrustedProxies.Announcement(field: field))
        var fields = HTTPFields()
        let name = try #require(HTTPField.Name(reported))
        for value in values { fields.append(HTTPField(name: name, value: value)) }
        #expect(proxies.isEncrypted(fields) == isEncrypted)
        let request = HTTPRequest(
            method: .get, scheme: nil, authority: "photos.example", path: "/", headerFields: fields)
        let proxy = ClientConnection(.network("10.0.0.9"), proxies: proxies)
        #expect(proxy.isEncrypted(sending: request) == isEncrypted)
        // Anybody else could write the same.
        for stranger in ["192.0.2.7", "127.0.0.1"] {
            #expect(!ClientConnection(.network(stranger), proxies: proxies).isEncrypted(sending: request))
        }
        #expect(ClientConnection(.network("192.0.2.7"), isEncrypted: true).isEncrypted(sending: request))
        proxies.announcement = .header
        #expect(!proxies.isEncrypted(fields))
    }

    @Test(
        "Networks that contain public addresses cannot be trusted proxies",
        arguments: [
            ("0.0.0.0/0", false), ("10.0.0.1 128.0.0.0/1", false), ("::/0", false), ("2000::/3", false),
            ("10.0.0.0/8", true),
            ("fc00::/7", true), ("127.0.0.1", true), ("::1", true),
        ])
    func largeNetworks(text: String, isTaken: Bool) {
        #expect((TrustedProxies(parsing: text) != nil) == isTaken)
    }

    @Test(
        "A PROXY header is parsed as it arrives, byte by byte",
        arguments: [
            ("PROXY TCP4 192.0.2.7 198.51.100.1 56324 443\r\n", ProxyHeader.client("192.0.2.7")),
            ("PROXY TCP6 2001:db8::7 2001:db8::1 56324 443\r\n", .client("2001:db8::7")),
            ("PROXY UNKNOWN\r\n", .proxy), ("PROXY UNKNOWN ffff::1 ffff::2 1 2\r\n", .proxy),
        ])
    func textHeaders(text: String, expected: ProxyHeader) throws {
        try expect(Array(text.utf8), means: expected)
    }

    @Test(
        "A PROXY header may be binary",
        arguments: [
            ([0x21, 0x11, 0, 12, 192, 0, 2, 7, 198, 51, 100, 1, 0xDC, 4, 1, 0xBB], ProxyHeader.client("192.0.2.7")),
            ([0x20, 0x00, 0, 0], .proxy), ([0x21, 0x31, 0, 2, 1, 2], .proxy),
            ([0x21, 0x11, 0, 15, 192, 0, 2, 7, 198, 51, 100, 1, 0xDC, 4, 1, 0xBB, 4, 0, 0], .client("192.0.2.7")),
        ] as [([UInt8], ProxyHeader)])
    func binaryHeaders(rest: [UInt8], expected: ProxyHeader) throws {
        try expect(Array("\r\n\r\n\0\r\nQUIT\n".utf8) + rest, means: expected)
    }

    private func expect(_ header: [UInt8], means expected: ProxyHeader) throws {
        var bytes = ByteBuffer()
        for byte in header.dropLast() {
            bytes.writeInteger(byte)
            #expect(try ProxyHeader.read(from: &bytes) == nil)
        }
        bytes.writeBytes(header.suffix(1))
        bytes.writeString("GET")
        #expect(try ProxyHeader.read(from: &bytes) == expected)
        #expect(String(buffer: bytes) == "GET")
    }

    @Test(
        "A malformed PROXY header is refused",
        arguments: [
            "GET / HTTP/1.1\r\n", "PROXY\r\n", "PROXY TCP4 192.0.2.7\r\n", "PROXY TCP4 a b c d\r\n",
            "PROXY TCP5 192.0.2.7 198.51.100.1 1 2\r\n", "PROXY UNKNOWN\n",
            "PROXY TCP4 " + String(repeating: "1", count: 200), "\r\n\r\n\0\r\nQUIT\n\u{11}\u{11}\0\0",
            "\r\n\r\n\0\r\nQUIT\n!\u{11}\u{7F}\u{7F}",
        ])
    func malformed(text: String) {
        #expect(throws: ProxyHeader.Malformed.self) {
            var bytes = ByteBuffer(string: text)
            while try ProxyHeader.read(from: &bytes) == nil { bytes.writeBytes([0x31]) }
        }
    }
}
