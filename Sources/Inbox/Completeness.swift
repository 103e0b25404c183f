import Blobs
import Glibc

/// When a file in the inbox may be taken: when nobody is writing it any more.
///
/// Either the kernel told that it was closed or moved in, or nothing about it has changed for the quiet time (by the
/// inode's change time, which no copying program can set back); and no process has it open for writing, where the file
/// system can tell.
struct Completeness {
    /// Names (`uid/name`) that were closed after writing, or moved in, since the last scan.
    let finished: Set<String>
    /// Nanoseconds.
    let quietTime: Int64
    /// Nanoseconds since the epoch.
    let now: Int64

    func isComplete(_ entry: Directory.Entry, in folder: Directory, at path: String) -> Bool {
        switch entry.kind {
        case .other:
            return true
        case .file:
            guard finished.contains(path) || isQuiet(entry) else { return false }
            return !hasWriter(entry.name, in: folder)
        case .folder:
            guard let inside = try? folder.folder(entry.name), let entries = try? inside.entries() else { return false }
            return (finished.contains(path) || (isQuiet(entry) && entries.allSatisfy(isQuiet)))
                && !entries.contains { $0.kind == .file && hasWriter($0.name, in: inside) }
        }
    }

    private func isQuiet(_ entry: Directory.Entry) -> Bool {
        // A change time in the future means that the clock was set back: then it counts as quiet.
        let age = now - entry.changedNanoseconds
        return age >= quietTime || age < 0
    }

    private func hasWriter(_ name: String, in folder: Directory) -> Bool {
        (try? folder.file(name))?.hasWriter ?? false
    }
}
