package import API
import Access
package import Database
package import Model
package import Requests
package import Social
import Tree

/// Creates responses about a person.
package struct PersonResponse: Sendable {
    let people: People
    let database: RealtimeDatabase

    package init(people: People, database: RealtimeDatabase) {
        self.people = people
        self.database = database
    }

    /// Returns what the requester may read of a person: the profile, or the name alone.
    ///
    /// - Throws: `Failure` with the code `not_found` if the person does not exist; `TreeError` with the code
    ///   `permission_denied`.
    package func readable(of uid: UserID, _ context: HTTPContext) async throws -> PersonDocument {
        let path = PeopleNodes.person(uid)
        if try await context.mayRead(path, in: database) { return try await document(of: uid, context) }
        try await database.session(as: context.identity).judgeRead(of: path / "full_name")
        guard let profile = try await people.profile(of: uid, for: context.viewer) else { throw Failure.noSuchPerson }
        return PersonDocument(uid: uid.description, fullName: profile.person.fullName, profilePicture: nil)
    }

    /// Returns a person's profile, with the counters if the requester may read them.
    ///
    /// - Throws: `Failure` with the code `not_found` if the person does not exist.
    package func document(of uid: UserID, _ context: HTTPContext) async throws -> PersonDocument {
        let reader = context.viewer
        guard let profile = try await people.profile(of: uid, for: reader) else { throw Failure.noSuchPerson }
        // Rules that are older than the counters do not allow reading them.
        return PersonDocument(profile, hasCounts: try await context.mayRead(PeopleNodes.stats(uid), in: database))
    }
}

extension PersonDocument {
    init(_ person: Person, _ times: EntityTimes) {
        self.init(
            uid: person.uid.description, fullName: person.fullName, profilePicture: person.profilePicture)
        (created, updated) = (times.created?.milliseconds, times.updated?.milliseconds)
    }

    fileprivate init(_ profile: Profile, hasCounts: Bool) {
        self.init(profile.person, profile.times)
        (role, bio) = (profile.role, profile.bio)
        (isFollowed, isBlocked) = (profile.isFollowed, profile.isBlocked)
        guard hasCounts else { return }
        counts = Counts(
            posts: profile.counts.posts, followers: profile.counts.followers, following: profile.counts.following)
    }
}
