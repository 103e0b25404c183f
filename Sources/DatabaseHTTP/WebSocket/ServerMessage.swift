import Database
import Tree
import TreeModel

/// The messages of the service to a client, as JSON; data are in the export form, and never lists.
enum ServerMessage {
    /// Returns the first message of a session.
    ///
    /// - Parameter host: The host for the client's next connections: the one it has connected to.
    static func hello(at now: Timestamp, host: String, session: String) -> [UInt8] {
        var json = Array(
            "{\"t\":\"c\",\"d\":{\"t\":\"h\",\"d\":{\"ts\":\(now),\"v\":\"5\",\"h\":".utf8)
        JSONText.append(host.utf8.span, to: &json)
        json += ",\"s\":\"\(session)\"}}}".utf8
        return json
    }

    static let pong = Array("{\"t\":\"c\",\"d\":{\"t\":\"o\",\"d\":{}}}".utf8)

    /// Returns a message that reports an error in the client's messages.
    static func error(_ text: String) -> [UInt8] {
        var json = Array("{\"t\":\"c\",\"d\":{\"t\":\"e\",\"d\":".utf8)
        JSONText.append(text.utf8.span, to: &json)
        json += "}}".utf8
        return json
    }

    // MARK: Answers

    /// Returns the response to a successful request.
    ///
    /// - Parameters:
    ///   - data: JSON.
    ///   - token: The position just after the write that was requested; nil for other requests. Firebase's clients
    ///     ignore it.
    static func done(_ number: Int, _ data: some Sequence<UInt8>, at token: SyncToken? = nil) -> [UInt8] {
        let end = token.map { ",\"token\":\"\($0)\"}}}" } ?? "}}}"
        return Array("{\"t\":\"d\",\"d\":{\"r\":\(number),\"b\":{\"s\":\"ok\",\"d\":".utf8) + data + Array(end.utf8)
    }

    /// Returns the response to a refused request.
    static func refused(_ number: Int, _ refusal: ClientRefusal) -> [UInt8] {
        var json = Array("{\"t\":\"d\",\"d\":{\"r\":\(number),\"b\":{\"s\":\"\(refusal.status.rawValue)\",\"d\":".utf8)
        JSONText.append(refusal.text.utf8.span, to: &json)
        json += "}}}".utf8
        return json
    }

    /// Returns the text around the value in the response to a `g` request.
    static func value(_ number: Int) -> TextFrame {
        TextFrame(beginning: "{\"t\":\"d\",\"d\":{\"r\":\(number),\"b\":{\"s\":\"ok\",\"d\":", end: "}}}")
    }

    // MARK: Data

    /// Returns the text around a listener's first value.
    static func start(of listen: RealtimeListen.Key) -> TextFrame {
        let path = text(of: listen.path)
        return TextFrame(
            beginning: String(decoding: head("d", path), as: UTF8.self),
            end: String(decoding: tail(listen.tag), as: UTF8.self))
    }

    /// Returns the message for an event of a listener.
    static func event(_ event: TreeEvent, for listen: RealtimeListen.Key) -> [UInt8] {
        var path = text(of: listen.path)
        let below = event.path.dropFirst()
        if !below.isEmpty {
            if !path.isEmpty { path.append(UInt8(ascii: "/")) }
            path += below
        }
        return head(event.kind == .put ? "d" : "m", path) + event.data + tail(listen.tag)
    }

    /// Returns the message for the end of a listener that the client may no longer read.
    static func revoked(_ listen: RealtimeListen.Key, query: [UInt8]) -> [UInt8] {
        var json = Array("{\"t\":\"d\",\"d\":{\"a\":\"c\",\"b\":{\"p\":".utf8)
        JSONText.append(text(of: listen.path).span, to: &json)
        if !query.isEmpty { json += Array(",\"q\":[".utf8) + query + Array("]".utf8) }
        json += "}}}".utf8
        return json
    }

    /// The message that the client's authentication has ended.
    static let authRevoked = Array(
        "{\"t\":\"d\",\"d\":{\"a\":\"ac\",\"b\":{\"s\":\"expired_token\",\"d\":\"Auth token is expired\"}}}".utf8)

    /// Returns a path without a slash at its beginning.
    private static func text(of keys: [TreeKey]) -> [UInt8] { Array(keys.map(\.string).joined(separator: "/").utf8) }

    private static func head(_ action: String, _ path: [UInt8]) -> [UInt8] {
        var json = Array("{\"t\":\"d\",\"d\":{\"a\":\"\(action)\",\"b\":{\"p\":".utf8)
        JSONText.append(path.span, to: &json)
        json += ",\"d\":".utf8
        return json
    }

    private static func tail(_ tag: Int?) -> [UInt8] {
        Array((tag.map { ",\"t\":\($0)}}}" } ?? "}}}").utf8)
    }
}
