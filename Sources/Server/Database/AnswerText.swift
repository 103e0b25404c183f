import Blobs
import Hummingbird
import NIOCore
import Pipeline
import Tree

/// The text of an answer while it is put together: in memory as long as it is short, in a file without a name beyond.
///
/// So whoever reads slowly holds neither memory nor a snapshot of the tree. Used on one thread, which may block.
final class AnswerText {
    private static let maxBytesInMemory = 1 << 20

    /// The whole text, ready to be sent.
    enum Finished: Sendable {
        case memory([UInt8])
        case file(FileReader, byteCount: Int)
    }

    private let folder: Directory
    private var indenter: JSONIndenter?
    private let callback: String?
    private var bytes: [UInt8] = []
    private var file: ScratchFile?
    private var fileByteCount = 0

    /// Begins a text in the form that the parameters ask for; `folder` is where long ones go.
    init(_ parameters: DatabaseParameters, folder: Directory) {
        self.folder = folder
        indenter = parameters.isPretty ? JSONIndenter() : nil
        callback = parameters.callback
        // The comment keeps the answer from being taken for anything but a script, whatever the name.
        if let callback { bytes = Array("/**/\(callback)(".utf8) }
    }

    /// Adds a piece of JSON.
    ///
    /// - Throws: ``TreeError`` with the code `disk_full` or `io`, so that a reading snapshot can pass it on.
    func append(_ json: [UInt8]) throws(TreeError) {
        let piece = indenter?.indent(json) ?? json
        if bytes.isEmpty { bytes = piece } else { bytes += piece }
        if bytes.count > Self.maxBytesInMemory { try flush() }
    }

    /// The text, which is complete.
    func finish() throws(TreeError) -> Finished {
        if callback != nil { bytes += ");".utf8 }
        guard let file else { return .memory(bytes) }
        try flush()
        return .file(file.reader, byteCount: fileByteCount)
    }

    /// Whether putting a text together needs no disk; where it does, a thread is to wait that may.
    static func fitsInMemory(_ json: [UInt8]) -> Bool { json.count <= maxBytesInMemory / 4 }

    /// The text of JSON that is there as a whole.
    static func whole(
        _ json: [UInt8], _ parameters: DatabaseParameters, folder: Directory
    ) throws(TreeError) -> Finished {
        let text = AnswerText(parameters, folder: folder)
        try text.append(json)
        return try text.finish()
    }

    private func flush() throws(TreeError) {
        do throws(BlobError) {
            if file == nil { file = try ScratchFile(in: folder) }
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

extension AnswerText.Finished {
    /// The text as it is sent.
    func body(_ pipeline: UploadPipeline) -> ResponseBody {
        switch self {
        case .memory(let bytes): ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        case .file(let file, let byteCount): ResponseBody(file, 0..<byteCount, pipeline: pipeline)
        }
    }
}
