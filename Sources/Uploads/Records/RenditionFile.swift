package import Tree

/// The record of a rendition's file: the data to verify its bytes, and how it was rendered.
///
/// It is stored at `uploads/{id}/photos/{n}/files/{file name}` in the pipeline's own tree, as a line of a manifest. A
/// key cannot contain a dot, so the dot of the name is replaced by a comma:
///
///     thumb-1c81be9d-0123456789,jpg = SHA-256, bytes, recipe, engine, SHA-256 of the original, milliseconds since the epoch
package struct RenditionFile: Sendable, Hashable {
    /// The SHA-256 of the bytes, 64 hexadecimal digits.
    package let sha256: String
    package let byteCount: Int
    /// The fingerprint of the recipe (``RecipeBook``).
    package let recipe: String
    /// The version of the program that rendered it (`WorkerProgram.version`).
    package let engine: String
    /// The SHA-256 of the original as it was stored at that time.
    package let source: String
    /// The time of rendering.
    package let madeAt: Timestamp

    package init(
        sha256: String, byteCount: Int, recipe: String, engine: String, source: String, madeAt: Timestamp
    ) {
        (self.sha256, self.byteCount, self.recipe) = (sha256, byteCount, recipe)
        (self.engine, self.source, self.madeAt) = (engine, source, madeAt)
    }
}

extension UploadRecord.Photo {
    /// The record of the original's file once it is garbage.
    package var formerFile: RenditionFile {
        RenditionFile(
            sha256: fileSHA256, byteCount: fileByteCount, recipe: "-", engine: "-", source: "-", madeAt: .epoch)
    }

    /// Replaces the file of the original. The record of the former file stays until that is deleted.
    ///
    /// - Parameters:
    ///   - name: A file name that has never been used.
    ///   - sha256: The SHA-256 of its bytes, 64 hexadecimal digits.
    package mutating func replaceFile(_ name: String, sha256: String, byteCount: Int) {
        files[fileName] = formerFile
        (fileName, storedSHA256, storedByteCount) = (name, sha256, byteCount)
    }
}

// MARK: - Encoding

extension RenditionFile {
    package var value: TreeValue { .string("\(sha256) \(byteCount) \(recipe) \(engine) \(source) \(madeAt)") }

    /// Reads a line; nil if it is malformed.
    init?(_ value: TreeValue) {
        let words = (value.stringValue ?? "").split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard words.count == 6, words[0].utf8.count == 64, let byteCount = Int(words[1]),
            let madeAt = Int64(words[5]).map(Timestamp.init(milliseconds:))
        else { return nil }
        self.init(
            sha256: words[0], byteCount: byteCount, recipe: words[2], engine: words[3], source: words[4],
            madeAt: madeAt)
    }

    /// Returns the key of the file with a name.
    package static func key(_ fileName: String) throws(TreeError) -> TreeKey {
        try TreeKey(String(fileName.map { $0 == "." ? "," : $0 }))
    }

    /// Returns the name of the file with a key.
    static func fileName(_ key: TreeKey) -> String { String(key.string.map { $0 == "," ? "." : $0 }) }
}

extension [String: RenditionFile] {
    /// Reads the lines of a photo, by the names of the files.
    init(_ value: TreeValue?) {
        self.init()
        for (key, line) in value?.object ?? [:] { self[RenditionFile.fileName(key)] = RenditionFile(line) }
    }

    func value() throws(TreeError) -> TreeValue {
        var lines: [TreeKey: TreeValue] = [:]
        for (name, file) in self { lines[try RenditionFile.key(name)] = file.value }
        return .object(lines)
    }
}
