import API
import Files
import Model
import Store
import Tree
import Uploads

/// The document `NAME.reason.json` beside a file that can never become a post.
struct FailureReason: Sendable {
    /// The document: `code`, `message` and `hint`; the file's name; the upload's id, its user and its number of
    /// attempts, if there was an upload; and the time.
    let json: [UInt8]

    /// Creates the reason of a failed upload; `file` is the name of the file beside the document.
    init(_ record: UploadRecord, file: String) {
        var fields = Self.fields(
            record.error ?? Failure(.unknown, "no reason was recorded"), file: file,
            at: record.updatedAt)
        fields["user"] = .string(record.owner.description)
        fields["upload"] = .string(record.id.description)
        fields["attempts"] = .integer(Int64(record.attempts + 1))
        if let source = record.source { fields["source"] = .string(source) }
        var names: [TreeKey: TreeValue] = [:]
        for (index, photo) in record.orderedPhotos.enumerated() {
            if let key = try? TreeKey(String(index)) { names[key] = .string(photo.originalName) }
        }
        if !names.isEmpty { fields["photos"] = .object(names) }
        self.init(fields)
    }

    /// Creates the reason of a file that was refused before it became an upload; `mark` distinguishes it from others of
    /// its name.
    init(_ error: Failure, user: UserID?, source: String, file: String, mark: String) {
        var fields = Self.fields(error, file: file, at: WallClock.now())
        if let user { fields["user"] = .string(user.description) }
        fields["source"] = .string(source)
        fields["mark"] = .string(mark)
        self.init(fields)
    }

    private init(_ fields: [TreeKey: TreeValue]) {
        json = TreeValue.object(fields).json(pretty: true) + [UInt8(ascii: "\n")]
    }

    private static func fields(_ error: Failure, file: String, at time: Timestamp) -> [TreeKey: TreeValue] {
        [
            "code": .string(error.code.rawValue), "message": .string(error.message), "hint": .string(error.hint),
            "file": .string(file), "failed_at": time.value,
        ]
    }
}

extension StorageFolder {
    /// The name of the folder for files without a user.
    static let noUser = "no_user"

    /// Returns the folder `failed/{reason}/{user}/`, creating it if necessary.
    func failedFolder(of code: ErrorCode?, user: UserID?) throws(FileError) -> Directory {
        countPutAside()
        // Codes are fixed words of this service; any other code must not name a folder.
        let code = code?.rawValue ?? ""
        let isWord = !code.isEmpty && code.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x5F }
        return try failed.folder(isWord ? code : "other", create: true)
            .folder(user?.description ?? Self.noUser, create: true)
    }
}
