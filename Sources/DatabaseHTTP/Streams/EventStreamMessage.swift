import Database
import HTTPTypes
import NIOCore
import Tree

/// Events as `text/event-stream` (WHATWG HTML, Server-sent events), in the format of the Realtime Database.
enum EventStreamMessage {
    /// Returns the head of the response. It names the charset, because some clients otherwise assume another one.
    ///
    /// - Parameter origin: The pages that may read it, as in `Access-Control-Allow-Origin`; nil for none.
    static func head(allowing origin: String?) -> ByteBuffer {
        ByteBuffer(
            string: """
                HTTP/1.1 200 OK\r
                Content-Type: text/event-stream; charset=utf-8\r
                Cache-Control: no-cache\r
                \(allowance(of: origin))Connection: close\r
                \r

                """)
    }

    private static func allowance(of origin: String?) -> String {
        "Vary: Origin\r\n" + (origin.map { "Access-Control-Allow-Origin: \($0)\r\n" } ?? "")
    }

    /// The text around the value that a stream begins with.
    static let start = TextFrame(beginning: "event: put\ndata: {\"path\":\"/\",\"data\":", end: "}\n\n")
    static let cancel = ByteBuffer(string: "event: cancel\ndata: null\n\n")
    static let authRevoked = ByteBuffer(string: "event: auth_revoked\ndata: \"credential is no longer valid\"\n\n")
    static let keepAlive = ByteBuffer(string: "event: keep-alive\ndata: null\n\n")

    /// Returns an event: its path and its data in one object.
    static func message(_ event: TreeEvent) -> ByteBuffer {
        var path: [UInt8] = []
        JSONText.append(event.path.span, to: &path)
        var buffer = ByteBuffer()
        buffer.reserveCapacity(path.count + event.data.count + 48)
        buffer.writeString("event: \(event.kind.rawValue)\ndata: {\"path\":")
        buffer.writeBytes(path)
        buffer.writeString(",\"data\":")
        buffer.writeBytes(event.data)
        buffer.writeString("}\n\n")
        return buffer
    }

    /// Returns a whole response that refuses a stream.
    ///
    /// - Parameter origin: See ``head(allowing:)``.
    static func refusal(_ problem: DatabaseProblem, allowing origin: String?) -> ByteBuffer {
        let retry = problem.retryAfter.map { "\r\nRetry-After: \($0)" } ?? ""
        let json = problem.json
        var buffer = ByteBuffer(
            string: """
                HTTP/1.1 \(problem.status.code) \(problem.status.reasonPhrase)\(retry)\r
                Content-Type: application/json; charset=utf-8\r
                Content-Length: \(json.count)\r
                \(allowance(of: origin))Connection: close\r
                \r

                """)
        buffer.writeBytes(json)
        return buffer
    }
}
