import API

/// A piece of a list of files.
enum FileListPiece {
    /// Parses the lines of a piece.
    ///
    /// - Throws: `Failure` `backup_damaged` for a malformed line.
    static func lines(of bytes: [UInt8], named name: String) throws(Failure) -> [FileLine] {
        var lines: [FileLine] = []
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            guard let line = FileLine(line) else {
                throw Failure(.backupDamaged, "the backup's list \(name) has a malformed line")
            }
            lines.append(line)
        }
        return lines
    }
}

/// The files that earlier lists contain; they must be looked up in the order of the lists.
struct KnownFiles {
    private var lists: [FileListReader]
    private var next: [FileLine?] = []
    private var hasBegun = false

    init(_ lists: [FileListReader]) { self.lists = lists }

    /// Returns the line of a file; nil if no list contains it.
    mutating func line(of path: String) async throws -> FileLine? {
        if !hasBegun {
            hasBegun = true
            for index in lists.indices { next.append(try await lists[index].next()) }
        }
        var found: FileLine?
        for index in lists.indices {
            while let line = next[index], FileLine.precedes(line.path, path) {
                next[index] = try await lists[index].next()
            }
            if let line = next[index], line.path == path { found = line }
        }
        return found
    }
}
