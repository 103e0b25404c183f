import Model
import Tree

/// The people whom a viewer does not see because one of the two has blocked the other.
struct BlockedPeople {
    private let viewer: UserID?
    /// Whether the viewer has any blocks; nil before the first lookup.
    private var areAny: Bool?
    private var known: [UserID: Bool] = [:]

    init(of viewer: UserID?) { self.viewer = viewer }

    /// Whether the viewer has blocked a person, or that person the viewer.
    mutating func contain(_ person: UserID, in snapshot: TreeSnapshot) throws(TreeError) -> Bool {
        guard let viewer, viewer != person else { return false }
        let lists = [PeopleNodes.blocking(viewer), PeopleNodes.blocked(viewer)]
        if areAny == nil { areAny = try Self.isAnything(at: lists, in: snapshot) }
        guard areAny == true else { return false }
        if let known = known[person] { return known }
        let isBlocked = try Self.isAnything(at: lists.map { $0 / person.key }, in: snapshot)
        known[person] = isBlocked
        return isBlocked
    }

    /// Whether the same applies to the author of a post or a comment.
    mutating func containAuthor(of text: TreeValue, in snapshot: TreeSnapshot) throws(TreeError) -> Bool {
        // An author without a valid id can neither block nor be blocked.
        guard let author = text["author"]?["uid"]?.stringValue.flatMap({ UserID($0) }) else { return false }
        return try contain(author, in: snapshot)
    }

    private static func isAnything(at paths: [TreePath], in snapshot: TreeSnapshot) throws(TreeError) -> Bool {
        for path in paths where try snapshot.exists(path) { return true }
        return false
    }
}
