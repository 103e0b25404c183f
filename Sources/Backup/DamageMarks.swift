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

    /// Whether there are any.
    private func areThere() throws(FileError) -> Bool { try root.entry(Self.name) != nil }

    /// Reads them. Blocks.
    func read() throws(FileError) {
        guard try areThere() else { return }
        let bytes = try root.file(Self.name).readAll(maxBytes: Self.maxBytes)
        // Those that cannot be read come again with the next verification.
        guard let damaged = try? Damaged(json: Data(bytes)) else { return }
        paths.withLock { $0 = Set(damaged.paths) }
    }

    func contains(_ path: [String]) -> Bool {
        let path = path.joined(separator: "/")
        return paths.withLock { $0.contains(path) }
    }

    /// Takes the mark from what was written again.
    func forget(_ path: [String]) {
        let path = path.joined(separator: "/")
        paths.withLock { _ = $0.remove(path) }
    }

    /// Puts other marks in the place of those of a folder, where one may write there. Blocks.
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

    /// Writes those that are left. Blocks.
    func save() throws(FileError) {
        let left = paths.withLock { $0.sorted() }
        if !left.isEmpty {
            try root.write(Damaged(paths: left).json() + "\n".utf8, as: Self.name)
        } else if try areThere() {
            try root.remove(Self.name)
        }
    }
}
