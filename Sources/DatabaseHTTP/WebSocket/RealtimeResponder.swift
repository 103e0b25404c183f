package import HTTPTypes
import Hummingbird
import Requests

/// Answers those requests of the wire protocol that do not take over their connection: attempts at long polling, and
/// WebSocket requests that are not admitted.
package struct RealtimeResponder: HTTPResponder {
    let sockets: WebSocketSessions

    package init(sockets: WebSocketSessions) {
        self.sockets = sockets
    }

    /// Whether a request belongs to the wire protocol.
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
