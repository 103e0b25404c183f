public import TintypeModel

/// People, and what one person does to another. Pages have 20 elements without a limit, and 200 at most.
extension ServiceClient {
    /// Returns a page of people, in the order of their ids.
    ///
    /// - Parameters:
    ///   - name: The beginning of the name, in any order of its words; nil for everybody.
    ///   - cursor: The `next` of the page before; nil for the first page.
    ///   - limit: The largest number of elements; nil for 20.
    public func people(
        named name: String? = nil, after cursor: Cursor? = nil, limit: Int? = nil
    ) async throws -> Answer<Page<Person>> {
        let query = name.map { [ServiceRequest.QueryField("search", $0)] } ?? []
        return try await page(["v1", "people"], after: cursor, limit: limit, query: query)
    }

    /// Returns one person.
    public func person(_ id: Person.ID) async throws -> Answer<Person> {
        try await answer(to: ServiceRequest("GET", ["v1", "people", id.rawValue]))
    }

    /// Changes fields of a profile; creates the person if there is none, which requires a name.
    public func changeProfile(
        of person: Person.ID, _ change: ProfileChange, idempotencyKey: String? = nil
    ) async throws -> Answer<Person> {
        try await answer("PATCH", ["v1", "people", person.rawValue], change.fields, idempotencyKey: idempotencyKey)
    }

    /// Gives a person another picture, from a part of a file or from memory.
    ///
    /// - Parameters:
    ///   - person: The id of the person.
    ///   - photo: The bytes of the picture.
    ///   - progress: Called with the number of bytes that have been sent so far, on any thread.
    public func setPicture(
        of person: Person.ID, to photo: TransportRequest.Body,
        progress: (@Sendable (_ sentCount: Int64) -> Void)? = nil
    ) async throws -> Answer<PictureOutcome> {
        var request = ServiceRequest("PUT", ["v1", "people", person.rawValue, "avatar"])
        request.body = photo
        request.headers["Content-Type"] = "application/octet-stream"
        return try await answer(to: request, progress: progress)
    }

    /// Removes the picture of a person.
    public func removePicture(of person: Person.ID) async throws -> Answer<Person> {
        try await answer(to: ServiceRequest("DELETE", ["v1", "people", person.rawValue, "avatar"]))
    }

    /// Deletes a person with everything that is theirs. It goes on after the answer; see `deletion(of:)`. The account is
    /// deleted by `Session.deleteAccount()`.
    public func deletePerson(_ person: Person.ID) async throws -> Answer<PersonDeletion> {
        try await answer(to: ServiceRequest("DELETE", ["v1", "people", person.rawValue]))
    }

    /// Returns how far the deletion of a person is.
    public func deletion(of person: Person.ID) async throws -> Answer<PersonDeletion> {
        try await answer(to: ServiceRequest("GET", ["v1", "people", person.rawValue, "deletion"]))
    }

    /// Returns a page of the people whom a person follows.
    public func following(
        of person: Person.ID, after cursor: Cursor? = nil, limit: Int? = nil
    ) async throws -> Answer<Page<Person>> {
        try await page(["v1", "people", person.rawValue, "following"], after: cursor, limit: limit)
    }

    /// Returns a page of the people who follow a person.
    public func followers(
        of person: Person.ID, after cursor: Cursor? = nil, limit: Int? = nil
    ) async throws -> Answer<Page<Person>> {
        try await page(["v1", "people", person.rawValue, "followers"], after: cursor, limit: limit)
    }

    /// Returns a page of the people whom a person has blocked.
    public func blocked(
        by person: Person.ID, after cursor: Cursor? = nil, limit: Int? = nil
    ) async throws -> Answer<Page<Person>> {
        try await page(["v1", "people", person.rawValue, "blocking"], after: cursor, limit: limit)
    }

    /// Makes a person follow another, or no longer. A repetition changes nothing.
    public func setFollowing(
        _ isFollowing: Bool, of followee: Person.ID, by follower: Person.ID, idempotencyKey: String? = nil
    ) async throws -> Answer<FollowState> {
        try await answer(
            to: ServiceRequest(
                isFollowing ? "PUT" : "DELETE",
                ["v1", "people", follower.rawValue, "following", followee.rawValue],
                idempotencyKey: idempotencyKey))
    }

    /// Makes a person block another, or no longer. A block ends the follows between the two. A repetition changes nothing.
    public func setBlocking(
        _ isBlocking: Bool, of blocked: Person.ID, by blocker: Person.ID, idempotencyKey: String? = nil
    ) async throws -> Answer<BlockState> {
        try await answer(
            to: ServiceRequest(
                isBlocking ? "PUT" : "DELETE", ["v1", "people", blocker.rawValue, "blocking", blocked.rawValue],
                idempotencyKey: idempotencyKey))
    }

    /// Returns the space that the files of a user take up.
    public func usage(of person: Person.ID) async throws -> Answer<Usage> {
        try await answer(to: ServiceRequest("GET", ["v1", "usage", person.rawValue]))
    }
}

/// A change of a profile. Fields that are nil stay as they are; empty texts remove them, except the name.
public struct ProfileChange: Hashable, Sendable {
    /// The new name, of up to 199 characters.
    public var name: String?
    /// The new role, of up to 199 characters.
    public var role: String?
    /// The new description, of up to 1,999 characters.
    public var bio: String?

    /// Creates a change.
    public init(name: String? = nil, role: String? = nil, bio: String? = nil) {
        (self.name, self.role, self.bio) = (name, role, bio)
    }

    var fields: [String: JSONValue?] {
        [
            "full_name": name.map(JSONValue.string), "role": role.map(JSONValue.string),
            "bio": bio.map(JSONValue.string),
        ]
    }
}
