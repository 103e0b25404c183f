import CPlatform
import Glibc

extension Directory {
    /// Deletes the files `*.part` that nobody writes any more: whoever began them could not delete them.
    ///
    /// Who writes one holds a lock on it (``StagedFile``), from a moment after it was made; hence the age.
    ///
    /// - Returns: How many there were.
    @discardableResult
    public func removeDeadParts(olderThan age: Duration = .seconds(2)) throws(FileError) -> Int {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let latest = Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec) - age.components.seconds * 1_000_000_000
        var count = 0
        for name in try names() where name.hasSuffix(".part") {
            guard let entry = try entry(name), entry.kind == .file, entry.changedNanoseconds <= latest else { continue }
            let file = cplatform_openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0)
            guard file >= 0 else { continue }
            defer { _ = close(file) }
            guard flock(file, LOCK_EX | LOCK_NB) == 0 else { continue }
            try remove(name)
            count += 1
        }
        return count
    }
}
