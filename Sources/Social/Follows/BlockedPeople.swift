import Model
import Tree

/// Whom somebody does not see, as one of them has blocked the other.
struct BlockedPeople {
    private let viewer: UserID?
    /// Whether there are any; nil before the first question.
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

    /// The same of whoever has written a post or a comment.
    mutating func containAuthor(of text: TreeValue, in snapshot: TreeSnapshot) throws(TreeError) -> Bool {
        // Who has no id that anybody can have is nobody who could block or be blocked.
        guard let author = text["author"]?["uid"]?.stringValue.flatMap({ UserID($0) }) else { return false }
        return try contain(author, in: snapshot)
    }

    private static func isAnything(at paths: [TreePath], in snapshot: TreeSnapshot) throws(TreeError) -> Bool {
        for path in paths where try snapshot.exists(path) { return true }
        return false
    }
}
