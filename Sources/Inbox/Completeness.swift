import Blobs

/// When a file in the inbox may be taken: when nobody is writing it any more.
///
/// Never while a process has it open for writing, where the file system can tell (it can on local disks). Beyond that,
/// one of: the kernel told that it was closed or moved in; nothing about it has changed for a second and the file system
/// says that nobody writes; nothing about it has changed for the quiet time. Changes are those of the inode's change
/// time, which no copying program can set back. An empty file may be somebody's first step, and waits for the quiet time.
struct Completeness {
    /// Names (`uid/name`) that were closed after writing, or moved in, since the last scan.
    let finished: Set<String>
    /// Nanoseconds.
    let quietTime: Int64
    /// Nanoseconds since the epoch.
    let now: Int64

    private static let second: Int64 = 1_000_000_000

    func isComplete(_ entry: Directory.Entry, in folder: Directory, at path: String) -> Bool {
        switch entry.kind {
        case .other:
            return true
        case .file:
            return isComplete(entry, in: folder, wasFinished: finished.contains(path))
        case .folder:
            guard let inside = try? folder.folder(entry.name), let entries = try? inside.entries() else { return false }
            let wasFinished = finished.contains(path)
            return (wasFinished || isQuiet(entry, for: quietTime))
                && entries.allSatisfy { $0.kind != .file || isComplete($0, in: inside, wasFinished: wasFinished) }
        }
    }

    private func isComplete(_ file: Directory.Entry, in folder: Directory, wasFinished: Bool) -> Bool {
        let hasWriter = (try? folder.file(file.name))?.hasWriter
        if hasWriter == true { return false }
        if file.byteCount == 0 { return isQuiet(file, for: quietTime) }
        return wasFinished || isQuiet(file, for: hasWriter == false ? min(quietTime, Self.second) : quietTime)
    }

    private func isQuiet(_ entry: Directory.Entry, for time: Int64) -> Bool {
        // A change time in the future means that the clock was set back: then it counts as quiet.
        let age = now - entry.changedNanoseconds
        return age >= time || age < 0
    }
}
