package import API
package import Files
package import Model
import Tree
package import TreeModel

/// The record of a file whose bytes arrive in several requests, at `resumable_files/{id}` in the pipeline's own tree:
/// its checkpoint and its purpose. The bytes are in `incoming/{id}.partial`.
package struct ResumableFile: Sendable, Hashable {
    /// The purpose of a file: the part of the service that began it and continues with it.
    package struct Purpose: RawRepresentable, Hashable, Sendable {
        package let rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        /// The photo of an upload in the state `receiving`, which has the same id.
        package static let upload = Purpose(rawValue: "upload")
    }

    package let id: PostID
    /// The owner, by whom the limits on the number and size of files are counted.
    package let owner: TreeKey
    package let purpose: Purpose
    /// Data for the part of the service that began the file, such as JSON, which it needs when the file is complete;
    /// nothing else reads it.
    package let details: String
    /// The final size of the file, in bytes; nil until its sender has specified it.
    package internal(set) var length: Int?
    /// The largest permitted size of the file, in bytes.
    package let maxBytes: Int
    /// The durable part.
    var checkpoint = StagedFile.Checkpoint.start
    /// The time at which the file was begun.
    package let createdAt: Timestamp
    /// The time of the last checkpoint.
    package internal(set) var updatedAt: Timestamp

    /// The number of durable bytes, which the sender gets as its offset. It decreases only if the
    /// file is sent again from its first byte.
    package var byteCount: Int { checkpoint.byteCount }
    /// Whether all bytes are durable.
    package var isComplete: Bool { length == byteCount }
    /// The bytes that count towards the limit of its owner: the final size, or the largest size while that is unknown.
    fileprivate var reservedBytes: Int { length ?? maxBytes }

    /// The name of the file that holds the bytes, in `incoming/`.
    static func fileName(_ id: PostID) -> String { "\(id)\(fileSuffix)" }

    package static let fileSuffix = ".partial"
}

/// The request to receive a file in several requests: the information before the first byte.
package struct ResumableFileRequest: Sendable {
    package var owner: TreeKey
    package var purpose: ResumableFile.Purpose
    /// The details; see ``ResumableFile/details``. At most ``maxDetailBytes``.
    package var details = ""
    /// The final size of the file, in bytes; nil if it is not known yet.
    package var length: Int?
    /// The largest permitted size, in bytes.
    package var maxBytes: Int

    /// The largest size of the details, in bytes of UTF-8.
    package static let maxDetailBytes = 64 << 10

    package init(owner: TreeKey, purpose: ResumableFile.Purpose, maxBytes: Int) {
        self.owner = owner
        self.purpose = purpose
        self.maxBytes = maxBytes
    }
}

// MARK: - Checks

extension ResumableFile {
    /// Checks the size of the next part, before any of it arrives.
    ///
    /// - Parameters:
    ///   - byteCount: The size of the next part, in bytes.
    ///   - length: The size of the whole file, in bytes; nil if the request does not specify it.
    /// - Throws: `Failure`: `too_large_bytes`, `too_many_bytes`; the errors of ``check(length:)``.
    package func check(adding byteCount: Int, of length: Int?) throws(Failure) {
        var file = self
        if let length {
            try check(length: length)
            file.length = length
        }
        let (sum, isTooLarge) = self.byteCount.addingReportingOverflow(byteCount)
        try file.check(size: isTooLarge ? .max : sum)
    }

    /// Checks the size of the whole file.
    ///
    /// - Throws: `Failure`: `too_large_bytes` if it exceeds the permitted size, `length_changed` if it is less than
    ///   what has arrived or differs from an earlier request.
    func check(length: Int) throws(Failure) {
        guard length <= maxBytes else { throw .tooManyBytes(limit: maxBytes) }
        guard length >= byteCount, self.length ?? length == length else {
            throw Failure(
                .lengthChanged, "the length \(length) contradicts earlier requests or the bytes that were sent",
                hint: "Send the same length in each request, or begin again.")
        }
    }

    /// Checks a number of received bytes.
    ///
    /// - Throws: `Failure`: `too_large_bytes`, `too_many_bytes`.
    func check(size: Int) throws(Failure) {
        if let length, size > length {
            throw Failure(
                .tooManyBytes, "the file has more bytes than the \(length) that were announced",
                hint: "Begin again, with the right length.")
        }
        guard size <= maxBytes else { throw .tooManyBytes(limit: maxBytes) }
    }
}

// MARK: - Encoding

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
    /// Reads the record of a file; nil if it does not exist.
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
    /// Adds the record of a file that is received in several requests.
    mutating func beginResumableFile(_ file: ResumableFile) {
        self[UploadNodes.resumableFile(file.id)] = file.value
        self[UploadNodes.resumableFileOf(file.owner) / file.id.key] = .integer(Int64(file.reservedBytes))
    }

    /// Deletes the record of a file that was received in several requests, whether it was used or not. Its bytes are
    /// deleted later if they have not been moved by then.
    package mutating func endResumableFile(_ file: ResumableFile) {
        self[UploadNodes.resumableFile(file.id)] = nil
        self[UploadNodes.resumableFileOf(file.owner) / file.id.key] = nil
    }
}
