import API
import Files
import Hummingbird
import NIOCore
import Pipeline
import Tree

/// The text of an answer while it is put together: in memory as long as it is short, in a file without a name beyond.
///
/// So whoever reads slowly holds neither memory nor a snapshot of the tree. Used on one thread, which may block.
final class SpooledBody {
    private static let maxBytesInMemory = 1 << 20

    /// The whole text, ready to be sent.
    enum Finished: Sendable {
        case memory([UInt8])
        case file(SpooledFile)
    }

    private let spool: ResponseSpool
    private let share: ResponseSpool.Share
    /// Whether it is too late to refuse: what the text tells has been done.
    private let isOwed: Bool
    private var indenter: JSONIndenter?
    private let end: String
    private var bytes: [UInt8]
    private var file: ScratchFile?
    private var fileByteCount = 0

    /// Begins a text in the form that the parameters ask for; `spool` is where long ones go.
    convenience init(_ parameters: DatabaseParameters, spool: ResponseSpool, isOwed: Bool = false) {
        // The comment keeps the answer from being taken for anything but a script, whatever the name.
        self.init(
            spool: spool, beginning: parameters.callback.map { "/**/\($0)(" } ?? "",
            end: parameters.callback == nil ? "" : ");", indenter: parameters.isPretty ? JSONIndenter() : nil,
            isOwed: isOwed)
    }

    /// Begins a text with its beginning, and knows its end.
    init(spool: ResponseSpool, beginning: String, end: String, indenter: JSONIndenter? = nil, isOwed: Bool = false) {
        self.spool = spool
        self.isOwed = isOwed
        self.indenter = indenter
        self.end = end
        share = spool.share()
        bytes = Array(beginning.utf8)
    }

    /// Adds a piece of JSON.
    ///
    /// - Throws: ``TreeError`` with the code `disk_full`, `io` or `busy`, so that a reading snapshot can pass it on.
    func append(_ json: [UInt8]) throws(TreeError) {
        let piece = indenter?.indent(json) ?? json
        if bytes.isEmpty { bytes = piece } else { bytes += piece }
        if bytes.count > Self.maxBytesInMemory { try flush() }
    }

    /// The text, which is complete.
    func finish() throws(TreeError) -> Finished {
        bytes += end.utf8
        guard let file else { return .memory(bytes) }
        try flush()
        return .file(SpooledFile(file.reader, byteCount: fileByteCount, share: share))
    }

    /// Whether putting a text together needs no disk; where it does, a thread is to wait that may.
    static func fitsInMemory(_ json: [UInt8]) -> Bool { json.count <= maxBytesInMemory / 4 }

    /// The text of JSON that is there as a whole, and that tells what has been done.
    static func whole(
        _ json: [UInt8], _ parameters: DatabaseParameters, spool: ResponseSpool
    ) throws(TreeError) -> Finished {
        let text = SpooledBody(parameters, spool: spool, isOwed: true)
        try text.append(json)
        return try text.finish()
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
                error.code == .diskFull ? .diskFull : .io, "an answer cannot be kept on disk: \(error.message)",
                cause: error)
        }
        fileByteCount += bytes.count
        bytes.removeAll(keepingCapacity: true)
    }
}

extension SpooledBody.Finished {
    /// The text as it is sent.
    var body: ResponseBody {
        switch self {
        case .memory(let bytes): ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        case .file(let text): ResponseBody(text.file, 0..<text.byteCount, holding: text)
        }
    }
}
