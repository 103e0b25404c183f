import API
import HTTPTypes
import Hummingbird
import Social
import Tree

extension Response {
    /// Returns a response with a page of people.
    static func page(_ page: PeoplePage) -> Response {
        .json(
            PeoplePageDocument(
                people: page.items.map { PersonDocument($0.person, $0.times) }, next: page.next?.description),
            at: page.token)
    }
}
