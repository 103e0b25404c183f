import Files
import NIOPosix
import Tree

/// A file with the initial content or the rules of a tree.
struct SeedFile: Sendable {
    private static let pieceBytes = 256 << 10

    let path: String

    /// Replaces the whole tree with the file's JSON, in one update.
    ///
    /// - Throws: `ConfigurationError` that names the file, the line and the column of the error.
    func load(into tree: TreeStore) async throws {
        let update = try await NIOThreadPool.singleton.runIfActive { try readUpdate() }
        do {
            try await tree.update(update)
        } catch {
            throw ConfigurationError("\(path): \(error.messageWithHint)")
        }
    }

    /// Replaces the rules of a tree with the file.
    ///
    /// - Throws: `ConfigurationError` that names the file, the line and the column of the error.
    func loadRules(into tree: TreeStore) async throws {
        let bytes = try await NIOThreadPool.singleton.runIfActive {
            try FileReader(path: path).readAll(maxBytes: Self.maxRulesBytes)
        }
        guard bytes.count <= Self.maxRulesBytes else {
            throw ConfigurationError("\(path): the rules have more than \(Self.maxRulesBytes) bytes")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ConfigurationError("\(path): the rules are not UTF-8")
        }
        do {
            try await tree.setRules(text)
        } catch {
            // The message begins with the line and the column.
            throw ConfigurationError("\(path):\(error.messageWithHint)")
        }
    }

    private static let maxRulesBytes = 1 << 20

    private func readUpdate() throws -> JSONUpdate {
        let file = try FileReader(path: path)
        var reader = JSONUpdate.Reader(.value, at: .root)
        do throws(TreeError) {
            var offset = 0
            while let bytes = try Self.piece(of: file, at: offset) {
                try reader.feed(bytes.span)
                offset += bytes.count
            }
            return try reader.finish()
        } catch {
            throw ConfigurationError(
                "\(path):\(try TextPosition(ofByte: reader.offset, in: file)): \(error.messageWithHint)")
        }
    }

    private static func piece(of file: FileReader, at offset: Int) throws(TreeError) -> [UInt8]? {
        do throws(FileError) {
            let bytes = try file.read(at: offset, maxBytes: pieceBytes)
            return bytes.isEmpty ? nil : bytes
        } catch {
            throw TreeError(.io, error.message, hint: error.hint, cause: error)
        }
    }
}

extension TreeError {
    /// The message and the hint, for the person who wrote the text.
    var messageWithHint: String { hint.map { "\(message). \($0)" } ?? message }
}
