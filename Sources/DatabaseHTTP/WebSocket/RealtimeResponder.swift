package import HTTPTypes
import Hummingbird
import Requests

/// Answers requests of the wire protocol that are answered as requests: attempts at long polling, and those for a WebSocket that
/// are not let in. One that is let in has taken its connection over before.
package struct RealtimeResponder: HTTPResponder {
    let sockets: WebSocketSessions

    package init(sockets: WebSocketSessions) {
        self.sockets = sockets
    }

    /// Whether a request is one of the wire protocol.
    package static func isFor(_ request: HTTPRequest) -> Bool {
        guard let path = request.path?.utf8.prefix(while: { $0 != UInt8(ascii: "?") }) else { return false }
        return path.elementsEqual(LongPolling.path.utf8) || path.elementsEqual(WebSocketHandshake.path.utf8)
    }

    func respond(to request: Request, context: HTTPContext) async throws -> Response {
        if request.uri.path == LongPolling.path { return LongPolling.answer(to: request) }
        _ = try sockets.admit(request.head, from: context.client)
        return Response(status: .upgradeRequired, headers: [.upgrade: "websocket"])
    }
}
