import API
import HTTPTypes
import Hummingbird
import Social
import Tree

extension Response {
    /// A page of people.
    static func page(_ page: PeoplePage) -> Response {
        .json(
            PeoplePageDocument(people: page.people.map { PersonDocument($0) }, next: page.next?.description),
            at: page.token)
    }
}
