import API

/// A writer that splits the lines of a list into pieces, at files with certain SHA-256, so that pieces without changes
/// are identical in the next backup.
struct FileListWriter {
    private static let minBytes = 64 << 10
    private static let maxBytes = 4 << 20

    /// The names of the pieces so far.
    private(set) var pieces: [String] = []
    private(set) var fileCount = 0
    private(set) var byteCount = 0
    private var text: [UInt8] = []
    private let keep: ([UInt8]) async throws -> String

    /// - Parameter keep: Stores a piece, and returns its name.
    init(_ keep: @escaping ([UInt8]) async throws -> String) { self.keep = keep }

    mutating func add(_ line: FileLine) async throws {
        text += line.text.utf8
        fileCount += 1
        byteCount += line.byteCount
        guard text.count >= Self.minBytes, text.count >= Self.maxBytes || line.sha256.hasSuffix("00") else { return }
        try await endPiece()
    }

    private mutating func endPiece() async throws {
        guard !text.isEmpty else { return }
        pieces.append(try await keep(text))
        text = []
    }

    /// Returns the names of all pieces, including one for the lines after the last piece, with which the list
    /// continues.
    func piecesSoFar() async throws -> [String] { text.isEmpty ? pieces : pieces + [try await keep(text)] }

    /// Returns the names of all pieces.
    mutating func finish() async throws -> [String] {
        try await endPiece()
        return pieces
    }
}

/// A reader of the lines of a list, in their order.
struct FileListReader {
    private var pieces: ArraySlice<String>
    private var lines: ArraySlice<FileLine> = []
    /// The findings about pieces that were skipped.
    private(set) var findings: [FindingDocument] = []
    private let skipsDamaged: Bool
    private let read: (String) async throws -> [UInt8]

    /// - Parameters:
    ///   - skipsDamaged: Whether damaged pieces are skipped.
    ///   - read: Returns the bytes of the piece with a name.
    init(_ pieces: [String], skipsDamaged: Bool, read: @escaping (String) async throws -> [UInt8]) {
        self.pieces = pieces[...]
        self.skipsDamaged = skipsDamaged
        self.read = read
    }

    /// - Throws: `Failure` `backup_damaged`; the errors of `read`.
    mutating func next() async throws -> FileLine? {
        while lines.isEmpty {
            guard let piece = pieces.popFirst() else { return nil }
            do {
                lines = try FileListPiece.lines(of: try await read(piece), named: piece)[...]
            } catch let error as Failure where error.code == .backupDamaged && skipsDamaged {
                findings.append(.damaged(BackupLayout.piece(piece), error.message))
            }
        }
        return lines.popFirst()
    }
}
