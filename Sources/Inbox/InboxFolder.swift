import API
import Files
import Model
import Uploads

/// A folder of the inbox: the inbox itself, a user's, or one below that.
struct InboxFolder: Hashable, Sendable {
    /// The greatest depth of a folder below a user's own.
    static let maxDepth = 16

    /// The inbox itself, where nothing but users' folders belongs, or one user's folder. Each has its turn by itself.
    enum Root: Hashable, Sendable, CustomStringConvertible {
        case inbox
        case user(UserID)

        /// The folder, as it is told to people.
        var description: String {
            switch self {
            case .inbox: "inbox"
            case .user(let user): "inbox/\(user)"
            }
        }
    }

    let root: Root
    /// The folders below the root.
    var path: [String] = []

    /// The user whose photos lie here; nil for the inbox itself.
    var owner: UserID? { if case .user(let user) = root { user } else { nil } }

    /// All folders from the inbox on.
    var folders: [String] { (owner.map { [$0.description] } ?? []) + path }

    /// Opens the folder; by name each time, for there may be more of them than a process may hold open.
    func open(in inbox: Directory) throws(FileError) -> Directory {
        try inbox.folder(below: folders)
    }

    /// The path of a name in this folder, as it is told to people.
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

    /// The path below the user's folder.
    var source: String { (place.path + [name]).joined(separator: "/") }
}

/// Something complete that can never become a post, and why.
struct RejectedFile: Sendable {
    let place: InboxFolder
    let name: String
    let reason: Failure

    /// The path below the user's folder.
    var source: String { (place.path + [name]).joined(separator: "/") }
}
