import API
import DatabaseHTTP
import HTTPTypes
import Hummingbird
import Requests
import Transport
import Tree

extension Response {
    /// Returns a response with a document, and the position in the change log after which a reader of the changes
    /// misses none.
    static func json(
        _ document: some Document, status: HTTPResponse.Status = .ok, at token: SyncToken?
    ) -> Response {
        .json(document, status: status, headers: fields(token))
    }

    /// Returns a response with a page of posts and such a position.
    static func page(_ document: PostPageDocument, at token: SyncToken?) -> Response {
        .json(bytes: document.json(isSorted: false), headers: fields(token))
    }

    private static func fields(_ token: SyncToken?) -> HTTPFields {
        var headers = HTTPFields()
        headers[.tintypeToken] = token?.description
        return headers
    }
}

extension AnswerDescription {
    /// The description of the response with such a position.
    var withToken: AnswerDescription { with(headers: "Tintype-Token") }
}
