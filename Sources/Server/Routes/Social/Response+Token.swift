import API
import DatabaseHTTP
import HTTPTypes
import Hummingbird
import Requests
import Transport
import Tree

extension Response {
    /// A document, with the position in the change log from which whoever follows the changes misses nothing.
    static func json(
        _ document: some Document, status: HTTPResponse.Status = .ok, at token: SyncToken?
    ) -> Response {
        .json(document, status: status, headers: fields(token))
    }

    /// A page of posts, likewise.
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
    /// The answer with such a position.
    var withToken: AnswerDescription { with(headers: "Tintype-Token") }
}
