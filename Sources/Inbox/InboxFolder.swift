import API
import Files
import Pipeline
import Posts

/// A folder of the inbox: the inbox itself, a user's, or one below that.
struct InboxFolder: Hashable, Sendable {
    /// How deep folders may lie in each other below a user's own.
    static let maxDepth = 16

    /// The name of the user's folder; empty for the inbox itself.
    let user: String
    /// The folders below the user's.
    var path: [String] = []

    /// Whose photos lie here.
    var owner: UserID? { UserID(user) }

    /// All folders from the inbox on.
    var folders: [String] { user.isEmpty ? [] : [user] + path }

    /// Opens the folder; by name each time, for there may be more of them than a process may hold open.
    func open(in inbox: Directory) throws(FileError) -> Directory {
        try inbox.folder(below: folders)
    }

    /// How a name here is told to people.
    func description(of name: String) -> String {
        (folders + [name]).joined(separator: "/")
    }
}

/// Something complete that is to become a post.
struct Candidate: Hashable, Sendable {
    let owner: UserID
    let place: InboxFolder
    /// A photo, or a folder `NAME.post`.
    let name: String

    /// Where it lies below the user's folder.
    var source: String { (place.path + [name]).joined(separator: "/") }
}

/// Something complete that can never become a post, and why.
struct RejectedFile: Sendable {
    let place: InboxFolder
    let name: String
    let reason: Failure

    /// Where it lies below the user's folder.
    var source: String { (place.path + [name]).joined(separator: "/") }
}
