import Files
import Foundation
import NIOCore
import NIOPosix

/// The target of an export: standard output, or a file that appears only when it is complete.
enum ExportTarget: Sendable {
    case standardOutput
    case file(StagedFile, name: String, folder: Directory)

    /// Begins a temporary file in the target's folder; nil or "-" is standard output.
    ///
    /// - Throws: `FileError`; with the code `wrong_kind` when the path exists and is not a regular file.
    init(path: String?) throws(FileError) {
        guard let path, path != "-" else {
            self = .standardOutput
            return
        }
        let url = URL(fileURLWithPath: path)
        let name = url.lastPathComponent
        // The attributes are those of a symbolic link itself.
        let kind = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
        if let kind, kind != .typeRegular {
            throw FileError(
                .wrongKind, "\(path) exists and is not a regular file", hint: "Write to it with > \(path) instead.")
        }
        let folder = try Directory(path: url.deletingLastPathComponent().path)
        let part = ".\(name.prefix(60)).\(getpid()).part"
        self = .file(try StagedFile(in: folder, name: part), name: name, folder: folder)
    }

    /// Appends bytes, on a thread that may block.
    func write(_ bytes: ByteBuffer) async throws {
        try await NIOThreadPool.singleton.runIfActive {
            switch self {
            case .standardOutput:
                try bytes.withUnsafeReadableBytes { bytes in try StandardOutput.write(bytes) }
            case .file(let file, _, _):
                try bytes.withUnsafeReadableBytes { bytes in try file.write(bytes) }
            }
        }
    }

    /// Makes the file durable and renames it to its final name.
    func finish() async throws {
        guard case .file(let file, let name, let folder) = self else { return }
        try await NIOThreadPool.singleton.runIfActive {
            _ = try file.finish()
            try file.publish(as: name, in: folder)
            try folder.sync()
        }
    }
}
