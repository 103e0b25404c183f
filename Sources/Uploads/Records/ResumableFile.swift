package import API
package import Files
package import Model
import Tree
package import TreeModel

/// The record of a file whose bytes come in several requests, at `resumable_files/{id}` of the pipeline's own tree: how much of
/// it is durable, and what it is for. Its bytes lie in `incoming/{id}.partial`.
package struct ResumableFile: Sendable, Hashable {
    /// The matter of a file: which part of the service began it, and goes on with it.
    package struct Purpose: RawRepresentable, Hashable, Sendable {
        package let rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        /// The photo of an upload in the state `receiving`, which has the same id.
        package static let upload = Purpose(rawValue: "upload")
    }

    package let id: PostID
    /// Whose it is: who may have how many is counted by this.
    package let owner: TreeKey
    package let purpose: Purpose
    /// What whoever began it wants to know at the end, such as JSON; nobody else reads it.
    package let details: String
    /// The size that the file will have, in bytes; nil while its sender has not said it.
    package internal(set) var length: Int?
    /// The size that the file may have at most, in bytes.
    package let maxBytes: Int
    /// What is durable.
    var checkpoint = StagedFile.Checkpoint.start
    /// When it was begun.
    package let createdAt: Timestamp
    /// The time of the last checkpoint.
    package internal(set) var updatedAt: Timestamp

    /// How many bytes are durable: what a sender is told as its offset. It never shrinks.
    package var byteCount: Int { checkpoint.byteCount }
    /// Whether all bytes are durable.
    package var isComplete: Bool { length == byteCount }
    /// The bytes that count for its owner's share.
    fileprivate var reservedBytes: Int { length ?? maxBytes }

    /// The name of the file that holds the bytes, in `incoming/`.
    static func fileName(_ id: PostID) -> String { "\(id)\(fileSuffix)" }

    package static let fileSuffix = ".partial"
}

/// A file that is about to be received in several requests: what is said of it before the first byte.
package struct ResumableFileRequest: Sendable {
    package var owner: TreeKey
    package var purpose: ResumableFile.Purpose
    /// See ``ResumableFile/details``; at most ``maxDetailBytes``.
    package var details = ""
    /// The size in bytes, when it is known.
    package var length: Int?
    /// The size that it may have at most, in bytes.
    package var maxBytes: Int

    /// In bytes of UTF-8.
    package static let maxDetailBytes = 64 << 10

    package init(owner: TreeKey, purpose: ResumableFile.Purpose, maxBytes: Int) {
        self.owner = owner
        self.purpose = purpose
        self.maxBytes = maxBytes
    }
}

// MARK: - What may come

extension ResumableFile {
    /// Refuses what cannot come next, before any of it comes.
    ///
    /// - Parameters:
    ///   - byteCount: How many bytes are to come.
    ///   - length: The size of the whole, if it is said.
    /// - Throws: `Failure`: `too_large_bytes`, `too_many_bytes`; as ``check(length:)``.
    package func check(adding byteCount: Int, of length: Int?) throws(Failure) {
        var file = self
        if let length {
            try check(length: length)
            file.length = length
        }
        let (sum, isTooLarge) = self.byteCount.addingReportingOverflow(byteCount)
        try file.check(size: isTooLarge ? .max : sum)
    }

    /// Refuses a size of the whole that it cannot have.
    ///
    /// - Throws: `Failure`: `too_large_bytes` when that is more than it may have, `length_changed` when it is less than have come,
    ///   or something else was said before.
    func check(length: Int) throws(Failure) {
        guard length <= maxBytes else { throw .tooManyBytes(limit: maxBytes) }
        guard length >= byteCount, self.length ?? length == length else {
            throw Failure(
                .lengthChanged, "the file cannot have \(length) bytes by what was said and sent before",
                hint: "say the same length in each request, or begin again")
        }
    }

    /// Refuses more bytes than may come.
    ///
    /// - Throws: `Failure`: `too_large_bytes`, `too_many_bytes`.
    func check(size: Int) throws(Failure) {
        if let length, size > length {
            throw Failure(
                .tooManyBytes, "there are more bytes than the \(length) that were announced",
                hint: "begin again, with the right length")
        }
        guard size <= maxBytes else { throw .tooManyBytes(limit: maxBytes) }
    }
}

// MARK: - As it is written

extension ResumableFile: TreeRecord {
    package static let form = RecordForm(
        Self.init(id:owner:purpose:details:length:maxBytes:checkpoint:createdAt:updatedAt:), .init(keyAs: \.id),
        .init("owner", \.owner), .init("purpose", \.purpose), .init("details", \.details, default: ""),
        .init("length", \.length), .init("max_bytes", \.maxBytes), .init(partOf: \.checkpoint),
        .init("created_at", \.createdAt), .init("updated_at", \.updatedAt))
}

extension ResumableFile.Purpose: FieldValue {}

extension StagedFile.Checkpoint: TreeRecord {
    package static let form = RecordForm(
        Self.init(byteCount:hashState:), .init("received", \.byteCount), .init("sha256_state", \.hashState))
}

extension ResumableFile {
    /// Reads the record of a file; nil when there is none.
    init?(_ id: PostID, in snapshot: TreeSnapshot) throws(TreeError) {
        self.init(try snapshot.get(UploadNodes.resumableFile(id)), at: id.key)
    }

    init(_ request: ResumableFileRequest, id: PostID, at time: Timestamp) {
        self.init(
            id: id, owner: request.owner, purpose: request.purpose, details: request.details, length: request.length,
            maxBytes: request.maxBytes, createdAt: time, updatedAt: time)
    }
}

extension MultiPathUpdate {
    /// Begins a file that is received in several requests.
    mutating func beginResumableFile(_ file: ResumableFile) {
        self[UploadNodes.resumableFile(file.id)] = file.value
        self[UploadNodes.resumableFileOf(file.owner) / file.id.key] = .integer(Int64(file.reservedBytes))
    }

    /// Ends a file that is received in several requests: it has become something, or never will. Its bytes are deleted later,
    /// if nobody has moved them by then.
    package mutating func endResumableFile(_ file: ResumableFile) {
        self[UploadNodes.resumableFile(file.id)] = nil
        self[UploadNodes.resumableFileOf(file.owner) / file.id.key] = nil
    }
}
