import API
import Files
import Model
import Uploads

/// A folder of the inbox: the inbox itself, a user's, or one below that.
struct InboxFolder: Hashable, Sendable {
    /// The greatest depth of a folder below a user's own.
    static let maxDepth = 16

    /// The inbox itself, which should contain only users' folders, or one user's folder. Each has turns of its own.
    enum Root: Hashable, Sendable, CustomStringConvertible {
        case inbox
        case user(UserID)

        /// The folder in messages.
        var description: String {
            switch self {
            case .inbox: "inbox"
            case .user(let user): "inbox/\(user)"
            }
        }
    }

    let root: Root
    /// The names of the folders below the root.
    var path: [String] = []

    /// The user to whom the photos in the folder belong; nil for the inbox itself.
    var owner: UserID? { if case .user(let user) = root { user } else { nil } }

    /// The names of all folders from the inbox on.
    var folders: [String] { (owner.map { [$0.description] } ?? []) + path }

    /// Opens the folder by its name each time, because there may be more folders than a process may have open.
    func open(in inbox: Directory) throws(FileError) -> Directory {
        try inbox.folder(below: folders)
    }

    /// Returns the path of a name in this folder, for messages.
    func description(of name: String) -> String {
        (folders + [name]).joined(separator: "/")
    }
}

/// A complete file or folder that can become a post.
struct Candidate: Hashable, Sendable {
    let owner: UserID
    let place: InboxFolder
    /// The name of a photo or a folder `NAME.post`; of a text or a video, if it has no photo beside it.
    let name: String

    /// The path below the user's folder.
    var source: String { (place.path + [name]).joined(separator: "/") }
}

/// A complete file or folder that can never become a post, and the reason.
struct RejectedFile: Sendable {
    let place: InboxFolder
    let name: String
    let reason: Failure

    /// The path below the user's folder.
    var source: String { (place.path + [name]).joined(separator: "/") }
}
