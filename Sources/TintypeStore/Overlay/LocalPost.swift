public import TintypeModel

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A post on the device: as the service knows it, with the person's own writes laid over it.
public struct LocalPost: Hashable, Sendable, Identifiable {
    /// The identity for lists: it stays the same when the service gives the post an id.
    public let id: Post.ID
    /// The post; its own id is the service's as soon as there is one.
    public var post: Post
    /// The state compared with what the service knows.
    public var state = LocalState.upToDate
    /// The files of the photos while the device keeps them, by the positions of the photos: pictures to show until there
    /// are renditions.
    public var photoFiles: [Int: URL] = [:]
    /// The writes on it that are not sent yet, such as likes, in the order in which they were made. Mostly empty.
    public var unsentWrites: [WriteID] = []
    /// The writes on it that wait for the person: refused ones and conflicts. Mostly empty.
    public var parkedWrites: [WriteID] = []

    /// Creates a post as it would be on a device, for previews and tests of an app.
    public init(_ post: Post, state: LocalState = .upToDate) {
        self.init(post, identity: post.id)
        self.state = state
    }

    init(_ post: Post, identity: Post.ID) { (self.post, id) = (post, identity) }
}
