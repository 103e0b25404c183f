internal import Foundation

/// A body in the form in which a session sends it: of parts of files, small ones are read, and large ones are copied to a
/// file of their own, so that at most 8 MiB are in memory.
enum PreparedBody: Sendable {
    case none
    case data(Data)
    case file(URL, isTemporary: Bool)

    private static let memoryLimit: Int64 = 8 << 20

    /// Prepares a body.
    ///
    /// - Throws: `TransportError.Cause.unreadableFile`; `CancellationError`.
    @concurrent static func of(_ body: TransportRequest.Body) async throws -> PreparedBody {
        guard body.count != 0 else { return .none }
        switch body {
        case .none: return .none
        case .data(let data): return .data(data)
        case .file(let file, let offset, let count):
            guard file.isFileURL, offset >= 0, count > 0 else {
                throw TransportError(.unreadableFile, "\(file) \(offset)+\(count) is no part of a file")
            }
            do {
                return try part(of: file, offset, count)
            } catch let error where !(error is TransportError) && !(error is CancellationError) {
                throw TransportError(.unreadableFile, String(describing: error))
            }
        }
    }

    private static func part(of file: URL, _ offset: Int64, _ count: Int64) throws -> PreparedBody {
        let source = try FileHandle(forReadingFrom: file)
        defer { try? source.close() }
        let size = try source.seekToEnd()
        guard offset <= Int64(size), count <= Int64(size) - offset else {
            throw TransportError(.unreadableFile, "\(file.path) has \(size) bytes, not \(offset)+\(count)")
        }
        if count > memoryLimit, Int64(size) == count { return .file(file, isTemporary: false) }
        try source.seek(toOffset: UInt64(offset))
        if count > memoryLimit { return .file(try copy(source, count), isTemporary: true) }
        var data = Data()
        try forEachPiece(of: source, count) { data.append($0) }
        return .data(data)
    }

    private static func copy(_ source: FileHandle, _ count: Int64) throws -> URL {
        let copy = FileManager.default.temporaryDirectory.appendingPathComponent("tintype-body-\(UUID().uuidString)")
        do {
            try Data().write(to: copy, options: .withoutOverwriting)
            let target = try FileHandle(forWritingTo: copy)
            defer { try? target.close() }
            try forEachPiece(of: source, count) { try target.write(contentsOf: $0) }
            return copy
        } catch {
            try? FileManager.default.removeItem(at: copy)
            throw error
        }
    }

    private static func forEachPiece(of source: FileHandle, _ count: Int64, _ body: (Data) throws -> Void) throws {
        var missing = count
        while missing > 0 {
            try Task.checkCancellation()
            guard let piece = try source.read(upToCount: Int(min(missing, 1 << 20))), !piece.isEmpty else {
                throw TransportError(.unreadableFile, "the file ended too early")
            }
            try body(piece)
            missing -= Int64(piece.count)
        }
    }

    /// Removes the copy of a part.
    func discard() {
        if case .file(let file, isTemporary: true) = self { try? FileManager.default.removeItem(at: file) }
    }
}
