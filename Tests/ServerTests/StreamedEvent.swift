import Client
import Foundation
import HTTPTypes
import NIOCore
import TestSupport
import Testing

/// An event of a list of posts, in its raw form.
struct StreamedEvent: Sendable, Equatable {
    var name: String?
    var id: String?
    var data = JSON.null

    var path: String? { data["path"].string }
    var postID: String? { path.map { String($0.dropFirst()) } }
    var isDeletion: Bool { data["data"] == .null && name == "put" }

    /// Parses the events of a stream, comments among them.
    static func read(_ text: String) -> [StreamedEvent] {
        text.components(separatedBy: "\n\n").filter { !$0.isEmpty }.map { block in
            var event = StreamedEvent()
            for line in block.split(separator: "\n") {
                if line.hasPrefix("event: ") { event.name = String(line.dropFirst(7)) }
                if line.hasPrefix("id: ") { event.id = String(line.dropFirst(4)) }
                if line.hasPrefix("data: ") {
                    let json = try? JSONDecoder().decode(JSON.self, from: Data(line.dropFirst(6).utf8))
                    event.data = json ?? .null
                }
            }
            return event
        }
    }
}

/// The refusal of a stream.
struct StreamRefusal: Error {
    let status: Int
    let body: JSON
}

extension ServiceClient {
    /// Listens, calls `act` when the stream has begun, and returns the events up to the text.
    ///
    /// - Throws: `StreamRefusal` for any other status than 200.
    func events(
        _ path: String, since: String? = nil, lastEventID: String? = nil, headers: HTTPFields = [:],
        from greeting: String, through end: String, act: @escaping @Sendable () async throws -> Void = {}
    ) async throws -> [StreamedEvent] {
        var headers = headers
        if let lastEventID { headers[.named("last-event-id")] = lastEventID }
        let query = since.map { "?since=\($0)" } ?? ""
        let text = try await send(.get, path + query, headers: headers) { response, body in
            guard response.status == .ok else {
                let bytes = Data(try await body.collect(upTo: 1 << 20).readableBytesView)
                throw StreamRefusal(
                    status: response.status.code, body: (try? JSONDecoder().decode(JSON.self, from: bytes)) ?? .null)
            }
            // The end of the received text, which may contain the beginning of a match in the next chunk.
            var (stream, recent, hasActed, hasEnd) = ("", "", false, false)
            for try await chunk in body {
                let piece = String(buffer: chunk)
                stream += piece
                recent = recent.suffix(max(greeting.count, end.count)) + piece
                if !hasActed, recent.contains(greeting) {
                    hasActed = true
                    try await act()
                }
                hasEnd = hasEnd || recent.contains(end)
                if hasEnd, stream.hasSuffix("\n\n") { break }
            }
            return stream
        }
        return StreamedEvent.read(text)
    }
}
