import Files
import Foundation
import NIOCore
import NIOPosix

/// Where an export goes: to standard output, or into a file that is there only when it is complete.
enum ExportTarget: Sendable {
    case standardOutput
    case file(StagedFile, name: String, folder: Directory)

    /// Begins a file beside its final place; nil or "-" is standard output.
    ///
    /// - Throws: `FileError`, `wrong_kind` when something lies there that is no file.
    init(path: String?) throws(FileError) {
        guard let path, path != "-" else {
            self = .standardOutput
            return
        }
        let url = URL(fileURLWithPath: path)
        let name = url.lastPathComponent
        // Of a symbolic link, the link's own.
        let kind = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
        if let kind, kind != .typeRegular {
            throw FileError(.wrongKind, "\(path) is there, and no regular file", hint: "write to it with > \(path)")
        }
        let folder = try Directory(path: url.deletingLastPathComponent().path)
        let part = ".\(name.prefix(60)).\(getpid()).part"
        self = .file(try StagedFile(in: folder, name: part), name: name, folder: folder)
    }

    /// Adds bytes, where writing may block.
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

    /// Makes the file durable and gives it its name.
    func finish() async throws {
        guard case .file(let file, let name, let folder) = self else { return }
        try await NIOThreadPool.singleton.runIfActive {
            _ = try file.finish()
            try file.publish(as: name, in: folder)
            try folder.sync()
        }
    }
}
