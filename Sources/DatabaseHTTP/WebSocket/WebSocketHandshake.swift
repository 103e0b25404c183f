import Access
import Cryptography
import Foundation
package import HTTPTypes
import NIOCore

/// The request that turns a connection into a WebSocket (RFC 6455, section 4.2).
package struct WebSocketHandshake {
    /// The path of the database's WebSocket.
    static let path = "/.ws"
    private static let acceptID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    private let key: String

    /// Parses a request; nil if it does not ask for a WebSocket of version 13.
    init?(_ request: HTTPRequest) {
        let fields = request.headerFields
        guard request.method == .get, fields[.upgrade]?.lowercased() == "websocket",
            fields[.connection]?.lowercased().split(separator: ",").contains(where: {
                $0.trimmingCharacters(in: .whitespaces) == "upgrade"
            }) == true, fields[.secWebSocketVersion] == "13", let key = fields[.secWebSocketKey],
            Data(base64Encoded: key)?.count == 16
        else { return nil }
        self.key = key
    }

    /// Whether a request is for the database's WebSocket, well-formed or not.
    package static func isMeant(by request: HTTPRequest) -> Bool {
        request.path?.utf8.prefix { $0 != UInt8(ascii: "?") }.elementsEqual(path.utf8) == true
    }

    /// The response. Some clients parse it by hand, and require exactly these values.
    var answer: ByteBuffer {
        let accept = Data(Digest.sha1(key + Self.acceptID)).base64EncodedString()
        return ByteBuffer(
            string: """
                HTTP/1.1 101 Switching Protocols\r
                Upgrade: websocket\r
                Connection: upgrade\r
                Sec-WebSocket-Accept: \(accept)\r
                \r

                """)
    }
}
