import API
import Client
import Foundation
import HTTPTypes
import NIOCore
import NIOFoundationEssentialsCompat

/// Prints what becomes of a home feed, for as long as the service tells it.
struct FeedFollower {
    let service: APIClient
    /// The address of the feed.
    let path: String
    let isJSON: Bool

    /// A page of the feed, and the position from which to follow it.
    func page(limit: Int) async throws -> (page: PostPageDocument, token: String?) {
        try await service.open(.get, path, query: ["limit": "\(limit)"]) { response, body in
            let page = try PostPageDocument(json: Data(buffer: try await body.collect(upTo: 64 << 20)))
            return (page, Self.token.flatMap { response.headerFields[$0] })
        }
    }

    /// Prints what happens from a position on.
    ///
    /// - Throws: `Failure` with the code `connection_lost` when the service ends the stream.
    func run(since token: String?) async throws {
        try await service.open(.get, path + "/events", query: ["since": token]) { _, body in
            var events = ServerSentEvents()
            for try await piece in body {
                for event in try events.read(piece) { try tell(event) }
            }
        }
        throw Failure(
            .connectionLost, "the service has ended the stream", hint: "check whether it still runs, then try again",
            isTransient: true)
    }

    private static let token = HTTPField.Name("Tintype-Token")

    private func tell(_ event: ServerSentEvent) throws {
        let document = try Self.document(of: event)
        guard !isJSON else { return Terminal.outputJSON(document) }
        switch (document.event, document.post) {
        case (.put, let post?): Terminal.output(FeedCommand.line(of: post.value))
        case (.deleted, _): Terminal.output("\(document.postID ?? "")  deleted")
        case (.left, _): Terminal.note("\(document.author ?? "") is not followed any more")
        default: Terminal.note("other posts have come into the feed: list it again")
        }
    }

    private static func document(of event: ServerSentEvent) throws -> FeedEventDocument {
        let data = Data(event.data.utf8)
        switch event.name {
        case "put":
            let put = try PostEventDocument(json: data)
            let id = String(put.path.dropFirst())
            return FeedEventDocument(put.data == nil ? .deleted : .put, id: event.id, postID: id, post: put.data)
        case "left":
            return FeedEventDocument(.left, id: event.id, author: try AuthorEventDocument(json: data).author)
        case "auth_revoked": throw Failure.permissionDenied(hint: "the token is no longer valid")
        default: return FeedEventDocument(.resnapshot, id: event.id)
        }
    }
}
