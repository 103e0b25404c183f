/// The use of an invitation by a person who has an account.
public struct InvitationUse: Decodable, Hashable, Sendable {
    /// Whether the person has gained anything by it; otherwise it was not used up.
    public var isUsed: Bool
    /// The id of the audience that the person is a member of now; nil for none.
    public var audienceID: Audience.ID?
    /// The role in that audience; nil for none.
    public var role: Audience.Role?
    /// Whether the person has become an admin.
    public var isAdmin: Bool

    /// Decodes a use.
    public init(from decoder: any Decoder) throws {
        var fields = try FieldReader(decoder)
        isUsed = try fields.required("used")
        audienceID = fields.optional("audience")
        role = fields.optional("role")
        isAdmin = fields.flag("admin")
    }
}
