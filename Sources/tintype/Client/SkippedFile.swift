import API
import Files
import Imaging

/// A file in a folder that is not uploaded.
struct SkippedFile {
    /// The number of bytes that suffice to recognise a format.
    private static let signatureBytes = 512
    /// The largest number of files that are named.
    private static let maxNamed = 10

    let path: String
    let reason: String

    /// Returns the reason why a file is not uploaded; nil for a photo.
    static func reason(_ path: String) -> String? {
        do {
            let bytes = try FileReader(path: path).read(at: 0, maxBytes: signatureBytes)
            guard !bytes.isEmpty else { return "the file is empty" }
            guard ImageFormat.detect(bytes.span) == nil else { return nil }
            return "\(UnsupportedFormat.name(of: bytes.span)) is not supported"
        } catch {
            return error.message
        }
    }

    /// Names files for people, each with its reason.
    static func note(_ files: [SkippedFile]) {
        guard !files.isEmpty else { return }
        let count = files.count == 1 ? "1 file that is not a photo" : "\(files.count) files that are not photos"
        Terminal.note("skipped \(count):")
        for file in files.prefix(maxNamed) { Terminal.note("  \(file.path): \(file.reason)".printable) }
        if files.count > maxNamed { Terminal.note("  and \(files.count - maxNamed) more") }
    }
}
