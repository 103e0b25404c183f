import API
import Files
package import Tree
import TreeModel

/// The text that an encoder puts around the JSON of a response, and whether the JSON is indented.
package struct TextFrame: Sendable {
    let beginning: String
    let end: String
    let isPretty: Bool

    /// - Parameter isPretty: Whether the JSON is indented.
    package init(beginning: String = "", end: String = "", isPretty: Bool = false) {
        self.beginning = beginning
        self.end = end
        self.isPretty = isPretty
    }
}

/// The text of a response while it is being written: in memory while it is short, then in an unnamed file.
///
/// Therefore a slow reader holds neither memory nor a snapshot of the tree. Used on one thread, which may block.
package final class SpooledBody {
    fileprivate static let maxBytesInMemory = 1 << 20

    /// The whole text, ready to be sent.
    package enum Finished: Sendable {
        case memory([UInt8])
        case file(SpooledFile)
    }

    private let spool: ResponseSpool
    private let share: ResponseSpool.Share
    /// Whether the response must not be refused, because it reports an operation that has already been done.
    private let isOwed: Bool
    private var indenter: JSONIndenter?
    private let end: String
    private var bytes: [UInt8]
    private var file: ScratchFile?
    private var fileByteCount = 0

    /// Creates an empty text; a long one is kept in `spool`.
    init(in frame: TextFrame, spool: ResponseSpool, isOwed: Bool = false) {
        self.spool = spool
        self.isOwed = isOwed
        indenter = frame.isPretty ? JSONIndenter() : nil
        end = frame.end
        share = spool.share()
        bytes = Array(frame.beginning.utf8)
    }

    /// Appends a piece of JSON.
    ///
    /// - Throws: ``TreeError`` with the code `disk_full`, `io` or `busy`, so that a reading snapshot can pass it on.
    func append(_ json: [UInt8]) throws(TreeError) {
        let piece = indenter?.indent(json) ?? json
        if bytes.isEmpty { bytes = piece } else { bytes += piece }
        if bytes.count > Self.maxBytesInMemory { try flush() }
    }

    /// Returns the complete text.
    func finish() throws(TreeError) -> Finished {
        bytes += end.utf8
        guard let file else { return .memory(bytes) }
        try flush()
        return .file(SpooledFile(file.reader, byteCount: fileByteCount, share: share))
    }

    private func flush() throws(TreeError) {
        do throws(Failure) {
            try share.take(bytes.count)
        } catch  where isOwed {
        } catch {
            throw TreeError(.busy, error.message, hint: error.hint, cause: error)
        }
        do throws(FileError) {
            if file == nil { file = try ScratchFile(in: spool.folder) }
            try file?.append(bytes)
        } catch {
            throw TreeError(
                error.code == .diskFull ? .diskFull : .io, "a response cannot be kept on disk: \(error.message)",
                cause: error)
        }
        fileByteCount += bytes.count
        bytes.removeAll(keepingCapacity: true)
    }
}

extension DatabaseSession {
    /// Returns the text of a complete response that reports an operation that has already been done; it is not refused
    /// for its length.
    ///
    /// - Throws: ``TreeError`` with the code `disk_full` or `io`.
    package func text(of json: [UInt8], in frame: TextFrame) async throws(TreeError) -> SpooledBody.Finished {
        let whole = { @Sendable [spool = database.spool] () throws(TreeError) in
            let text = SpooledBody(in: frame, spool: spool, isOwed: true)
            try text.append(json)
            return try text.finish()
        }
        // A long text needs the disk, and blocks a thread that may block.
        return json.count <= SpooledBody.maxBytesInMemory / 4 ? try whole() : try await FileThreads.run(whole)
    }
}
