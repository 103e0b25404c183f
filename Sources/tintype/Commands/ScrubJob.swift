import API
import Files
import Foundation
import Imaging

/// The removal of the place from one file.
struct ScrubJob: Sendable {
    /// The destination of the result.
    enum Target: Sendable {
        case nothing, inPlace
        case folder(Directory)
    }

    let path: String
    let target: Target
    let limits: ImageLimits

    /// Returns a file's name without its folders.
    static func name(of path: String) -> String { URL(fileURLWithPath: path).lastPathComponent }

    /// Reads and scrubs the file, and writes the result. Blocks while the disk works.
    ///
    /// - Throws: `FileError` or `ImageError`; the file is then unchanged.
    func run() throws -> ScrubDocument {
        let name = ScrubJob.name(of: path)
        let folder = try Directory(path: URL(fileURLWithPath: path).deletingLastPathComponent().path)
        // A link would be replaced by a file, and its target would keep the place.
        let reader = if case .inPlace = target { try folder.file(name) } else { try FileReader(path: path) }
        let scrubbed = try LocationScrubber.scrub(reader.readAll(maxBytes: limits.maxInputBytes), limits: limits)
        let removed = scrubbed.removed.map(\.rawValue).sorted()
        let mode = reader.permissions
        switch target {
        case .nothing:
            return ScrubDocument(path: path, outcome: removed.isEmpty ? .clean : .found, removed: removed)
        case .inPlace:
            if !removed.isEmpty { try folder.write(scrubbed.bytes, as: name, mode: mode) }
            return document(removed, file: path)
        case .folder(let folder):
            try folder.writeNew(scrubbed.bytes, as: name, staging: folder, mode: mode)
            return document(removed, file: "\(folder.path)/\(name)")
        }
    }

    private func document(_ removed: [String], file: String) -> ScrubDocument {
        ScrubDocument(path: path, outcome: removed.isEmpty ? .clean : .scrubbed, removed: removed, file: file)
    }
}
