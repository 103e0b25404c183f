import API
import Files
import NIOCore

/// A text that a person chose, read as a whole.
struct TextFile {
    /// The longest text, in bytes.
    static let maxBytes = 64 << 20

    /// The name of the file in messages.
    let name: String
    let text: String

    init(name: String, text: String) { (self.name, self.text) = (name, text) }

    /// Reads the file at a path; "-" is standard input.
    ///
    /// - Throws: `FileError`, and `Failure` for a text that is too long, or is not UTF-8.
    init(path: String) async throws {
        name = path == "-" ? "standard input" : path
        let source = try path == "-" ? ByteSource.standardInput : ByteSource(path: path)
        var bytes: [UInt8] = []
        for try await chunk in source {
            guard bytes.count + chunk.readableBytes <= Self.maxBytes else {
                throw Failure(.tooLarge, "\(name) has more than \(Self.maxBytes) bytes")
            }
            bytes += chunk.readableBytesView
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(.badText, "\(name) is not UTF-8")
        }
        self.text = text
    }
}
