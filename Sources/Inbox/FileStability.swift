import Files
import Imaging
import Tree

/// The rule that decides whether a file in the inbox is no longer being written and may be claimed.
///
/// It never is while a process has it open for writing, if the file system can report that (local disks can). Otherwise
/// one of these conditions is enough: an event reported that it was moved in; it ends as its format requires, and an
/// event reported that it was closed, or it has been unchanged for a second; it has been unchanged for the quiet time.
/// Changes are those of the inode's change time, which no copying program can set back. An empty file may be a copying
/// program's first step, and waits for the quiet time.
struct FileStability {
    /// The quiet time in nanoseconds.
    let quietTime: Int64
    /// The current time in nanoseconds since the epoch.
    let now: Int64

    private static let second: Int64 = 1_000_000_000

    /// - Parameter now: The current time.
    init(quietTime: Duration, now: Timestamp) {
        self.quietTime = quietTime.components.seconds * Self.second + quietTime.components.attoseconds / Self.second
        self.now = now.milliseconds * 1_000_000
    }

    /// The state of a file, determined without reading all its bytes.
    enum State: Equatable {
        case complete
        /// A process has it open: an event will report when it is closed.
        case beingWritten
        /// No process is known to have it open, but it was changed too recently, and must be unchanged for so many more
        /// nanoseconds.
        case fresh(for: Int64)
    }

    /// Returns the state of a file.
    ///
    /// - Throws: `FileError`, also if it cannot be opened: then it cannot be claimed either.
    func state(
        of file: Directory.Entry, in folder: Directory, hint: InboxEvents.Kind
    ) throws(FileError) -> State {
        if hint == .seen, !isAtRest(file) { return .fresh(for: remaining(file, Self.second)) }
        let reader = try folder.file(file.name)
        let hasWriter = reader.hasWriter
        if hasWriter == true { return .beingWritten }
        if file.byteCount == 0 { return isQuiet(file) ? .complete : .fresh(for: remaining(file)) }
        if hint == .moved || isQuiet(file) { return .complete }
        let isText = SidecarNames.isText(file.name)
        guard hint == .closed || hasWriter == false, isText || endsAsImage(reader) else {
            return .fresh(for: remaining(file))
        }
        return hint == .closed || isAtRest(file) ? .complete : .fresh(for: remaining(file, Self.second))
    }

    /// Whether the file ends as its image format requires.
    private func endsAsImage(_ file: FileReader) -> Bool {
        guard let byteCount = try? file.byteCount() else { return false }
        return ImageFormat.isComplete(byteCount: byteCount) { try file.read(at: $0, maxBytes: $1) }
    }

    /// Returns the nanoseconds until the file has been unchanged for the quiet time, or for a shorter time.
    func remaining(_ entry: Directory.Entry, _ time: Int64? = nil) -> Int64 {
        let (age, overflow) = now.subtractingReportingOverflow(entry.changedNanoseconds)
        return overflow ? 0 : max(0, min(time ?? quietTime, quietTime) - max(0, age))
    }

    /// Whether the file has been unchanged for the quiet time, or for a shorter time.
    func isQuiet(_ entry: Directory.Entry, for time: Int64? = nil) -> Bool {
        // A change time in the future means that the clock was set back: the file then counts as quiet. A change time
        // within the current millisecond is not in the future, although it exceeds the clock's time by a fraction.
        let (age, overflow) = now.subtractingReportingOverflow(entry.changedNanoseconds)
        return overflow || age >= min(time ?? quietTime, quietTime) || age < -Self.second
    }

    /// Whether the file has been unchanged for a second, or for the quiet time if that is shorter.
    func isAtRest(_ entry: Directory.Entry) -> Bool {
        isQuiet(entry, for: Self.second)
    }
}
