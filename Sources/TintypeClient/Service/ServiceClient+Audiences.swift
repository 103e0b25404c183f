public import TintypeModel

/// Audiences. Pages have 20 elements without a limit, and 200 at most.
extension ServiceClient {
    /// Returns a page of the audiences of which the user is a member.
    public func audiences(after cursor: Cursor? = nil, limit: Int? = nil) async throws -> Answer<Page<Audience>> {
        try await page(["v1", "audiences"], after: cursor, limit: limit)
    }

    /// Returns one audience, with its members.
    public func audience(_ id: Audience.ID) async throws -> Answer<Audience> {
        try await answer(to: ServiceRequest("GET", ["v1", "audiences", id.rawValue]))
    }

    /// Creates an audience, or replaces the name, the kind and the members of one. Its creator becomes an owner.
    ///
    /// - Parameters:
    ///   - id: The id, of 1 to 128 letters, digits, `_` and `-`, which is used once for ever.
    ///   - name: The name.
    ///   - kind: The kind.
    ///   - members: The members with their roles, in place of those that there are; nil leaves these.
    public func createAudience(
        _ id: Audience.ID, name: String, kind: Audience.Kind, members: [Person.ID: Audience.Role]? = nil
    ) async throws -> Answer<Audience> {
        try await answer(
            "PUT", ["v1", "audiences", id.rawValue], Self.fields(name: name, kind: kind, members: members))
    }

    /// Changes an audience. Fields that are nil stay as they are.
    public func changeAudience(
        _ audience: Audience.ID, name: String? = nil, kind: Audience.Kind? = nil,
        members: [Person.ID: Audience.Role]? = nil
    ) async throws -> Answer<Audience> {
        try await answer(
            "PATCH", ["v1", "audiences", audience.rawValue], Self.fields(name: name, kind: kind, members: members))
    }

    /// Deletes an audience, with the posts that are for no other one.
    public func deleteAudience(_ audience: Audience.ID) async throws -> Answer<Void> {
        try await confirmation(of: ServiceRequest("DELETE", ["v1", "audiences", audience.rawValue]))
    }

    /// Makes a person a member of an audience, or gives a member another role.
    public func setRole(
        _ role: Audience.Role, of person: Person.ID, in audience: Audience.ID
    ) async throws -> Answer<AudienceMember> {
        try await answer(
            "PUT", ["v1", "audiences", audience.rawValue, "members", person.rawValue],
            ["role": .string(role.rawValue)])
    }

    /// Removes a member from an audience. Each member may leave.
    public func removeMember(_ person: Person.ID, from audience: Audience.ID) async throws -> Answer<AudienceMember> {
        try await answer(
            to: ServiceRequest("DELETE", ["v1", "audiences", audience.rawValue, "members", person.rawValue]))
    }

    /// Returns a page of the posts for an audience, the last added first.
    public func posts(
        for audience: Audience.ID, before cursor: Cursor? = nil, limit: Int? = nil
    ) async throws -> Answer<Page<Post>> {
        try await page(["v1", "audiences", audience.rawValue, "posts"], before: cursor, limit: limit)
    }

    /// Removes a post from an audience, and returns whether it is deleted, because it was for no other one.
    public func removePost(_ post: Post.ID, from audience: Audience.ID) async throws -> Answer<Bool> {
        let request = ServiceRequest("DELETE", ["v1", "audiences", audience.rawValue, "posts", post.rawValue])
        return try await answer(to: request, as: [String: JSONValue].self).map { $0["deleted"] == true }
    }

    private static func fields(
        name: String?, kind: Audience.Kind?, members: [Person.ID: Audience.Role]?
    ) -> [String: JSONValue?] {
        let roles = members.map { members in
            JSONValue.object(
                Dictionary(
                    uniqueKeysWithValues: members.map { ($0.key.rawValue, .string($0.value.rawValue)) }))
        }
        return [
            "name": name.map(JSONValue.string), "kind": kind.map { .string($0.rawValue) }, "members": roles,
        ]
    }
}
