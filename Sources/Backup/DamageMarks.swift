import API
import Files
import Foundation
import Synchronization

/// The paths that a verification has found damaged in a folder of backups: `damaged.json`. The next backup copies these again.
final class DamageMarks: Sendable {
    private static let name = "damaged.json"
    private static let maxBytes = 256 << 20

    private struct Damaged: Document {
        let paths: [String]
    }

    private let root: Directory
    private let paths = Mutex<Set<String>>([])

    init(in root: Directory) { self.root = root }

    /// Whether the file of marks exists.
    private func areThere() throws(FileError) -> Bool { try root.entry(Self.name) != nil }

    /// Reads the marks. Blocks.
    func read() throws(FileError) {
        guard try areThere() else { return }
        let bytes = try root.file(Self.name).readAll(maxBytes: Self.maxBytes)
        // If the marks cannot be read, the next verification writes them again.
        guard let damaged = try? Damaged(json: Data(bytes)) else { return }
        paths.withLock { $0 = Set(damaged.paths) }
    }

    func contains(_ path: [String]) -> Bool {
        let path = path.joined(separator: "/")
        return paths.withLock { $0.contains(path) }
    }

    /// Removes the mark of a file that was written again.
    func forget(_ path: [String]) {
        let path = path.joined(separator: "/")
        paths.withLock { _ = $0.remove(path) }
    }

    /// Replaces the marks of a folder, if it may be written to. Blocks.
    static func replace(by damaged: [String], in root: Directory) throws(FileError) {
        let marks = DamageMarks(in: root)
        let areThere = try marks.areThere()
        guard !damaged.isEmpty || areThere else { return }
        do throws(FileError) {
            let lock = try root.lockForBackups()
            defer { lock.release() }
            marks.paths.withLock { $0 = Set(damaged) }
            try marks.save()
        } catch  where error.code == .readOnly || error.code == .permission {
            return
        }
    }

    /// Writes the remaining marks. Blocks.
    func save() throws(FileError) {
        let left = paths.withLock { $0.sorted() }
        if !left.isEmpty {
            try root.write(Damaged(paths: left).json() + "\n".utf8, as: Self.name)
        } else if try areThere() {
            try root.remove(Self.name)
        }
    }
}
