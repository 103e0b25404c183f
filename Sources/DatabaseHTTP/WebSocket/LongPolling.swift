import HTTPTypes
import Hummingbird
import NIOCore

/// The response to a browser that tries to use the wire protocol by long polling, which is not supported: it makes the
/// client use a WebSocket again.
///
/// The JavaScript SDK notes in the browser's storage that a WebSocket failed before it tries one, and removes the note
/// once it receives a response. A page that is reloaded in between uses long polling ever after. The script of this
/// response removes the note, and closes the connection as a server may at any time, so that the client reconnects.
enum LongPolling {
    static let path = "/.lp"

    /// Returns the response to a request of that path.
    static func answer(to request: Request) -> Response {
        guard request.uri.queryParameters["start"] == "t",
            let callback = request.uri.queryParameters["cb"].map(String.init), isNumber(callback)
        else { return Response(status: .notFound, headers: headers) }
        let script = """
            try{localStorage.removeItem("firebase:previous_websocket_failure")}catch(e){}
            parent["pLPCommand\(callback)"]("close")
            """
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: script)))
    }

    private static let headers: HTTPFields = [
        .contentType: "application/javascript; charset=utf-8", .cacheControl: "no-store",
        .xContentTypeOptions: "nosniff",
    ]

    /// Whether a text has only digits; nothing else is put into a script.
    private static func isNumber(_ text: String) -> Bool {
        (1...20).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
