import API
import HTTPTypes
import Hummingbird
import Social
import Tree

/// Which page of people a request asks for.
struct PeoplePageRequest {
    private static let defaultLimit = 20

    static let parameters: [Parameter] = [
        .query("limit", .integer(1...PeoplePageDocument.maxPeople), "the largest number of people"),
        .query("after", .text, "the `next` of the page before"),
    ]

    let limit: Int
    let cursor: PeopleCursor?

    /// Reads the fields of a query.
    ///
    /// - Throws: `Failure` with the code `bad_request`.
    init(_ query: FormFields) throws(Failure) {
        limit = query["limit"].map { Int($0) ?? 0 } ?? Self.defaultLimit
        guard (1...PeoplePageDocument.maxPeople).contains(limit) else {
            throw Failure(.badRequest, "limit is not between 1 and \(PeoplePageDocument.maxPeople)")
        }
        cursor = query["after"].flatMap { PeopleCursor($0) }
        guard cursor != nil || query["after"] == nil else {
            throw Failure(.badRequest, "after is no cursor", hint: "use \"next\" of the page before")
        }
    }
}

extension Response {
    /// A page, with the position in the change log from which whoever follows the changes misses nothing.
    static func page(_ page: PeoplePage) -> Response {
        var headers = HTTPFields()
        headers[.tintypeToken] = page.token?.description
        return .json(
            PeoplePageDocument(people: page.people.map { PersonDocument($0) }, next: page.next?.description),
            headers: headers)
    }
}
