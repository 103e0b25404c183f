import API
import Client
import NIOCore
import NIOWebSocket
import TestSupport
import Testing

/// A client of the wire protocol, which sends the messages of a test and checks those it receives: frames, numbers of
/// pieces, and that each message is JSON.
final class WireClient {
    private let connection: WireConnection
    private(set) var number = 0
    /// The code with which the server has closed the connection.
    private(set) var closeCode: Int?
    private(set) var hello = ""

    /// Connects, and reads the first message.
    ///
    /// - Parameters:
    ///   - query: The query items after `v=5` in the address.
    ///   - overTCP: Whether it connects to the port, without proof.
    convenience init(
        _ service: Service, _ query: String = "", overTCP: Bool = false, headers: String = ""
    ) async throws {
        try await self.init(
            over: overTCP
                ? WireConnection(port: service.tcpPort) : WireConnection(socket: service.socketPath), query, headers)
    }

    /// Upgrades a connection to a WebSocket, and reads the first message.
    init(over connection: WireConnection, _ query: String = "", _ headers: String = "") async throws {
        self.connection = connection
        try await connection.send(Self.handshake("/.ws?v=5\(query)", headers))
        let head = try #require(await connection.read(through: "\r\n\r\n"))
        #expect(head.hasPrefix("HTTP/1.1 101 "))
        // The example of RFC 6455, section 1.3.
        #expect(head.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"))
        #expect(head.contains("\r\nConnection: upgrade\r\n") && head.contains("\r\nUpgrade: websocket\r\n"))
        hello = try #require(await hear())
    }

    static func handshake(_ target: String, _ headers: String = "") -> String {
        """
        GET \(target) HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\(headers)\r\n
        """
    }

    var sessionID: String { hello.components(after: "\"s\":\"")?.prefix { $0 != "\"" }.description ?? "" }

    func close() async { await connection.close() }

    /// Ends the sending side of the connection, without a close frame.
    func closeOutput() async { await connection.closeOutput() }

    // MARK: Sending

    /// Sends a message, in pieces as clients do.
    func say(_ text: String) async throws {
        let units = Array(text.utf16)
        guard units.count > 16_384 else { return try await sendFrame(Array(text.utf8)) }
        var pieces: [[UInt8]] = []
        var start = 0
        while start < units.count {
            let end = min(units.count, start + 16_384)
            pieces.append(Array(String(decoding: units[start..<end], as: UTF16.self).utf8))
            start = end
        }
        try await sendFrame(Array("\(pieces.count)".utf8))
        for piece in pieces { try await sendFrame(piece) }
    }

    /// Sends a request, and does not wait for the answer.
    @discardableResult
    func ask(_ action: String, _ body: String) async throws -> Int {
        number += 1
        try await say(#"{"t":"d","d":{"r":\#(number),"a":"\#(action)","b":\#(body)}}"#)
        return number
    }

    /// Sends a request, and reads all messages up to the answer.
    func answer(_ action: String, _ body: String) async throws -> [String] {
        let number = try await ask(action, body)
        return try await heard(untilAnswerTo: number)
    }

    func sendFrame(_ payload: [UInt8], opcode: UInt8 = 1, isFinal: Bool = true, isMasked: Bool = true) async throws {
        var frame = [(isFinal ? 0x80 : 0) | opcode]
        let mask: UInt8 = isMasked ? 0x80 : 0
        switch payload.count {
        case ..<126: frame.append(mask | UInt8(payload.count))
        case ..<65_536: frame += [mask | 126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
        default: frame += [mask | 127] + (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
        }
        var body = ByteBuffer(bytes: payload)
        if isMasked {
            let key: WebSocketMaskingKey = [0x37, 0xFA, 0x21, 0x3D]
            frame += key
            body.webSocketMask(key)
        }
        try await connection.send(frame + body.readableBytesView)
    }

    // MARK: Receiving

    /// Returns the next message; nil when the connection ends.
    func hear() async throws -> String? {
        guard let text = try await frame() else { return nil }
        guard let count = Int(text) else { return text }
        #expect((2...9_999).contains(count), "a number of pieces that no client reads")
        var whole = ""
        for _ in 0..<count { whole += try #require(try await frame()) }
        return whole
    }

    /// Returns the messages up to the answer to a request.
    func heard(untilAnswerTo number: Int) async throws -> [String] {
        var heard: [String] = []
        while let message = try await hear() {
            heard.append(message)
            if message.hasPrefix(#"{"t":"d","d":{"r":\#(number),"#) { return heard }
        }
        Issue.record("the connection ended before the answer \(number): \(heard), code \(closeCode ?? 0)")
        return heard
    }

    /// Reads until the connection ends.
    func untilClosed() async throws { while try await hear() != nil {} }

    private func frame() async throws -> String? {
        while true {
            guard let head = await connection.bytes(2) else { return nil }
            #expect(head[1] & 0x80 == 0, "a server masks nothing")
            var length = Int(head[1])
            if length == 126 {
                let more = try #require(await connection.bytes(2))
                length = Int(more[0]) << 8 | Int(more[1])
            }
            #expect(length <= 49_152)
            let payload = try #require(await connection.bytes(length))
            switch head[0] {
            case 0x81:
                let text = try #require(String(validating: payload, as: UTF8.self))
                #expect(text.utf16.count <= 16_384 && text != "0")
                return text
            case 0x89: try await sendFrame(payload, opcode: 10)
            case 0x88: closeCode = payload.count > 1 ? Int(payload[0]) << 8 | Int(payload[1]) : nil
            default: Issue.record("a frame of kind \(head[0])")
            }
        }
    }
}

extension String {
    fileprivate func components(after mark: String) -> Substring? {
        firstRange(of: mark).map { self[$0.upperBound...] }
    }

    /// Whether the text matches a pattern, in which `*` matches any text.
    func matches(_ pattern: String) -> Bool {
        let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
        guard hasPrefix(parts[0]), hasSuffix(parts[parts.count - 1]) else { return false }
        var rest = self[...]
        for part in parts where !part.isEmpty {
            guard let found = rest.firstRange(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return parts.count > 1 || rest.isEmpty
    }
}
