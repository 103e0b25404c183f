public import TintypeModel

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The content of a new post.
public struct PostDraft: Hashable, Sendable {
    /// The text; nil for none.
    public var text: String?
    /// The people whom parts of the text mention.
    public var mentions: [Mention]
    /// The audiences; empty for everybody.
    public var audiences: [Audience.ID]
    /// The photos, in their order.
    public var photos: [PhotoDraft]

    /// Creates a post.
    public init(
        text: String? = nil, mentions: [Mention] = [], audiences: [Audience.ID] = [], photos: [PhotoDraft] = []
    ) {
        (self.text, self.mentions, self.audiences, self.photos) = (text, mentions, audiences, photos)
    }
}

/// A photo of a new post.
public struct PhotoDraft: Hashable, Sendable {
    /// The file. The store keeps a link to it or a copy of it, so that it may be deleted at once.
    public var file: URL
    /// The description for people who cannot see the photo; nil for none.
    public var alternativeText: String?
    /// The width of the upright picture, in pixels; nil if it is not known.
    public var width: Int?
    /// The height of the upright picture, in pixels; nil if it is not known.
    public var height: Int?

    /// Creates a photo.
    public init(file: URL, alternativeText: String? = nil, width: Int? = nil, height: Int? = nil) {
        (self.file, self.alternativeText, self.width, self.height) = (file, alternativeText, width, height)
    }
}
