package import API
import Access
package import Database
import Hummingbird
package import Model
import Requests
import Social
package import TreeModel

extension RequestFields {
    private static let defaultPage = 20

    /// Returns the largest number of elements of a page: the field `limit`.
    ///
    /// - Throws: `Failure` with the code `bad_request`.
    func pageLimit(upTo max: Int = PageSize.max) throws(Failure) -> Int {
        guard let text = self["limit"] else { return Self.defaultPage }
        guard let limit = Int(text), (1...max).contains(limit) else {
            throw Failure(.badRequest, "limit is not between 1 and \(max)")
        }
        return limit
    }

    /// Returns the position at which a page begins or ends: a field with the `next` of another page.
    ///
    /// - Throws: `Failure` with the code `bad_request`.
    func pageCursor(_ name: String) throws(Failure) -> TreeKey? {
        guard let text = self[name] else { return nil }
        guard let key = try? TreeKey(text) else {
            throw Failure(.badRequest, "\(name) is not a cursor", hint: "Use \"next\" of another page.")
        }
        return key
    }

    /// Returns the position at which a page of notifications or announcements ends: the field `before`, one of their
    /// ids.
    ///
    /// - Throws: `Failure` with the code `bad_request`.
    func noticeCursor() throws(Failure) -> TreeKey? {
        guard let key = try pageCursor("before") else { return nil }
        guard PostPosition(key: key) != nil else {
            throw Failure(.badRequest, "before is not a cursor", hint: "Use \"next\" of another page.")
        }
        return key
    }
}

extension RequestFields {
    /// Returns the person after whom a page of people begins: the field `after`.
    ///
    /// - Throws: `Failure` with the code `bad_request`.
    func peopleCursor() throws(Failure) -> PeopleCursor? {
        guard let text = self["after"] else { return nil }
        guard let cursor = PeopleCursor(text) else {
            throw Failure(.badRequest, "after is not a cursor", hint: "Use \"next\" of the page before.")
        }
        return cursor
    }
}

extension [Parameter] {
    /// Returns the parameters that select a page of a list.
    ///
    /// - Parameter cursor: The field with the `next` of the page before.
    static func page(of things: String, from cursor: String) -> [Parameter] {
        [
            .query("limit", .integer(1...PageSize.max), "the largest number of \(things)"),
            .query(cursor, .text, "the `next` of the page before"),
        ]
    }
}

extension HTTPContext {
    /// Returns the post whose id is in the path.
    ///
    /// - Throws: `Failure` with the code `not_found` for a malformed post id.
    package func postID() throws(Failure) -> PostID {
        guard let id = PostID(parameters.get("id") ?? "") else {
            throw Failure(.notFound, "there is no such post", hint: "List the newest with GET /v1/posts.")
        }
        return id
    }

    /// Whether the requester may read a path.
    package func mayRead(_ path: TreePath, in database: RealtimeDatabase) async throws -> Bool {
        do {
            try await database.session(as: identity).judgeRead(of: path)
            return true
        } catch let error as TreeError where error.code == .permissionDenied {
            return false
        }
    }
}
