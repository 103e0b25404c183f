import API
import HTTPTypes
import Hummingbird
import Social
import Tree

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
