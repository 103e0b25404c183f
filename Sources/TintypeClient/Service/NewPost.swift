public import TintypeModel

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A post before its publication, apart from its photos.
public struct NewPost: Hashable, Sendable {
    /// The text, of at most 1,999 characters; empty for none.
    public var text: String
    /// The mentions of people in the text.
    public var mentions: [Mention]
    /// The audiences, at most 20; empty for everybody.
    public var audiences: [Audience.ID]
    /// The time at which the post was made, by the clock of the device; nil to leave it out.
    public var clientTime: Date?

    /// Creates a post.
    public init(
        _ text: String = "", mentions: [Mention] = [], audiences: [Audience.ID] = [], clientTime: Date? = nil
    ) {
        (self.text, self.mentions, self.audiences, self.clientTime) = (text, mentions, audiences, clientTime)
    }

    /// The fields of a form, of which the audiences are the first, as the service requires.
    func fields() throws -> [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        if !audiences.isEmpty {
            fields.append(("audiences", audiences.map(\.rawValue).joined(separator: " ")))
        }
        if !text.isEmpty { fields.append(("text", text)) }
        if !mentions.isEmpty {
            let json = try JSONEncoder().encode(JSONValue(mentions: mentions))
            fields.append(("mentions", String(decoding: json, as: UTF8.self)))
        }
        if let time = try JSONValue(clientTime: clientTime)?.integer {
            fields.append(("client_timestamp", String(time)))
        }
        return fields
    }
}

/// The publication of a draft. Fields that are nil keep what the draft has.
public struct DraftPublication: Hashable, Sendable {
    /// The text; empty for none. Another text removes the mentions of the draft.
    public var text: String?
    /// The mentions of people in the text.
    public var mentions: [Mention]?
    /// The descriptions of the photos, in their order; an empty one removes a description.
    public var alternativeTexts: [String]?
    /// The numbers of the photos that stay, in their new order; all others are deleted.
    public var photoNumbers: [Int]?
    /// The time at which the post was made, by the clock of the device.
    public var clientTime: Date?

    /// Creates a publication.
    public init(
        text: String? = nil, mentions: [Mention]? = nil, alternativeTexts: [String]? = nil,
        photoNumbers: [Int]? = nil, clientTime: Date? = nil
    ) {
        (self.text, self.mentions, self.alternativeTexts) = (text, mentions, alternativeTexts)
        (self.photoNumbers, self.clientTime) = (photoNumbers, clientTime)
    }

    func fields() throws -> [String: JSONValue?] {
        [
            "text": text.map(JSONValue.string), "mentions": JSONValue(mentions: mentions),
            "alt": alternativeTexts.map { .array($0.map(JSONValue.string)) },
            "photos": photoNumbers.map { .array($0.map { .integer(Int64($0)) }) },
            "client_timestamp": try JSONValue(clientTime: clientTime),
        ]
    }
}
