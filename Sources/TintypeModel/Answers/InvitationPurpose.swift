#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The purpose of an invitation.
public struct InvitationPurpose: Decodable, Hashable, Sendable {
    /// The name of the service.
    public var serviceName: String
    /// The id of the audience that people become members of; nil for none.
    public var audienceID: Audience.ID?
    /// The name of that audience; nil for none.
    public var audienceName: String?
    /// The role in that audience; nil for none.
    public var role: Audience.Role?
    /// The name of the person who invites; nil for the owner of the service.
    public var inviterName: String?
    /// Whether people without an account can create one with it.
    public var admitsNewAccounts: Bool
    /// Whether such an account needs an e-mail address.
    public var needsEmail: Bool
    /// The time at which it becomes invalid.
    public var expiresAt: Date

    /// Decodes a purpose.
    public init(from decoder: any Decoder) throws {
        var fields = try FieldReader(decoder)
        serviceName = try fields.required("service")
        audienceID = fields.optional("audience")
        audienceName = fields.optional("audience_name")
        role = fields.optional("role")
        inviterName = fields.optional("by")
        admitsNewAccounts = fields.flag("admits")
        needsEmail = fields.flag("needs_address")
        expiresAt = try fields.requiredTime("expires")
    }
}
