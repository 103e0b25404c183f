import Files
import NIOCore
import Tree

/// A JSON text of any length, from a file or standard input, split into updates.
struct ImportText: Sendable {
    private let name: String
    /// The file; nil for standard input.
    private let file: FileReader?
    private let source: ByteSource

    /// Opens the file at a path; "-" is standard input.
    init(path: String) throws(FileError) {
        let file = path == "-" ? nil : try FileReader(path: path)
        self.file = file
        name = file == nil ? "standard input" : path
        source = try file.map { file throws(FileError) in try ByteSource(file) } ?? .standardInput
    }

    /// The length in bytes; nil when it is not known.
    var byteCount: Int? { source.byteCount }
    /// Whether the text can be read again from its beginning.
    var canBeReadTwice: Bool { file != nil }

    /// Reads the text, and passes on each update as soon as it is complete.
    ///
    /// - Parameter onRead: Called with the number of bytes that were read since the last call.
    ///
    /// - Throws: ``ImportError`` with the position of an error in the text, and the errors of reading and of `body`.
    func forEachPiece(
        _ form: JSONSplitter.Form, at path: TreePath, onRead: (Int) -> Void = { _ in },
        _ body: (JSONSplitter.Piece) async throws -> Void
    ) async throws {
        var splitter = JSONSplitter(form, at: path)
        for try await chunk in source {
            let pieces: [JSONSplitter.Piece]
            do {
                pieces = try splitter.feed(chunk.readableBytesUInt8Span)
            } catch {
                throw try ImportError(error, at: splitter.offset, of: name, file)
            }
            for piece in pieces { try await body(piece) }
            onRead(chunk.readableBytes)
        }
        let last: JSONSplitter.Piece?
        do {
            last = try splitter.finish()
        } catch {
            throw try ImportError(error, at: splitter.offset, of: name, file)
        }
        if let last { try await body(last) }
    }
}

/// An error in a text that should be imported, with its position.
struct ImportError: Error, CustomStringConvertible {
    let description: String

    fileprivate init(_ error: TreeError, at offset: Int, of name: String, _ file: FileReader?) throws(FileError) {
        let place = try file.map { file throws(FileError) in ":\(try TextPosition(ofByte: offset, in: file))" }
        description = "\(name)\(place ?? ", byte \(offset)"): \(error.messageWithHint)"
    }
}
