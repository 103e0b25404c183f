import Blobs
import Pipeline
import Posts

/// One look at the inbox: what may be taken, what can never be, and what is still on its way.
struct InboxScan {
    /// Something complete that is to become a post.
    struct Candidate: Hashable {
        let user: UserID
        /// A photo, or a folder `NAME.post`.
        let name: String
        /// The photo's `NAME.json`, when it is there.
        let sidecar: String?
    }

    /// Something complete that can never become a post, and why.
    struct Misfit {
        let folder: Directory
        let user: UserID?
        let name: String
        let reason: PipelineError
    }

    private(set) var candidates: [Candidate] = []
    private(set) var misfits: [Misfit] = []
    /// Users' folders that could not be looked into, and why.
    private(set) var unreadable: [BlobError] = []
    /// Whether something is still being written or too fresh to be sure of: worth another look soon.
    private(set) var isUnfinished = false

    private let completeness: Completeness

    /// Looks at `inbox/{uid}/…`, in the order of users and names.
    ///
    /// - Throws: `BlobError` when the inbox itself cannot be read.
    init(_ inbox: Directory, completeness: Completeness) throws {
        self.completeness = completeness
        for entry in try inbox.entries() where !Ignored.contains(entry.name) {
            guard entry.kind == .folder, let user = UserID(entry.name) else {
                if isComplete(entry, in: inbox, at: entry.name) { add(misfit: entry, in: inbox) }
                continue
            }
            do throws(BlobError) {
                try scan(inbox.folder(entry.name), of: user)
            } catch {
                unreadable.append(error)  // One user's folder is no reason to leave the others' photos where they are.
            }
        }
    }

    private mutating func scan(_ folder: Directory, of user: UserID) throws(BlobError) {
        let entries = try folder.entries().filter { !Ignored.contains($0.name) }
        let names = Set(entries.map(\.name))
        for entry in entries {
            if let photo = Sidecar.photoName(of: entry.name), names.contains(photo) { continue }
            guard isComplete(entry, in: folder, at: "\(user)/\(entry.name)") else { continue }
            if let reason = Self.reason(against: entry, of: user) {
                misfits.append(Misfit(folder: folder, user: user, name: entry.name, reason: reason))
                continue
            }
            let sidecar = entries.first { $0.name == Sidecar.name(of: entry.name) }
            if let sidecar, !isComplete(sidecar, in: folder, at: "\(user)/\(sidecar.name)") { continue }
            candidates.append(Candidate(user: user, name: entry.name, sidecar: sidecar?.name))
        }
    }

    private mutating func isComplete(_ entry: Directory.Entry, in folder: Directory, at path: String) -> Bool {
        if completeness.isComplete(entry, in: folder, at: path) { return true }
        isUnfinished = true
        return false
    }

    private mutating func add(misfit entry: Directory.Entry, in inbox: Directory) {
        let reason =
            entry.kind == .folder
            ? PipelineError(
                .badUser, "\"\(entry.name)\" is no user id",
                hint: "name the folder with 1 to 128 letters, digits, - or _")
            : PipelineError(
                .badUser, "\(entry.name) lies outside of a user's folder", hint: "put it into inbox/USER/")
        misfits.append(Misfit(folder: inbox, user: nil, name: entry.name, reason: reason))
    }

    private static func reason(against entry: Directory.Entry, of user: UserID) -> PipelineError? {
        switch entry.kind {
        case .other:
            PipelineError(
                .wrongKind, "\(entry.name) is a link, a pipe or a device", hint: "put the photo itself there")
        case .folder where !entry.name.hasSuffix(Sidecar.postFolderSuffix):
            PipelineError(
                .wrongKind, "\(entry.name) is a folder",
                hint: "put photos straight into inbox/\(user)/, or name the folder \(entry.name).post to make one post")
        case .file where entry.name.hasSuffix(Sidecar.suffix):
            PipelineError(
                .badSidecar, "there is no photo beside \(entry.name)",
                hint: "put the text there before the photo, or use a folder NAME.post")
        default: nil
        }
    }
}

/// Names that desktop systems, synchronisers and copying programs leave in folders, and files that are on their way.
enum Ignored {
    private static let names: Set<String> = [
        "Thumbs.db", "ehthumbs.db", "desktop.ini", "__MACOSX", "@eaDir", "lost+found",
    ]
    private static let suffixes = [".part", ".tmp", ".crdownload", ".filepart", "~"]

    static func contains(_ name: String) -> Bool {
        name.hasPrefix(".") || names.contains(name) || suffixes.contains { name.hasSuffix($0) }
    }
}
