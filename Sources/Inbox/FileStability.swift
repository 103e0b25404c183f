import Files
import Imaging
import Tree

/// The judgement whether a file in the inbox may be taken: nobody is to be writing it any more.
///
/// Never while a process has it open for writing, where the file system can tell (it can on local disks). Beyond that,
/// one of: the kernel told that it was moved in; it ends as its format says, and the kernel told that it was closed, or
/// nothing about it has changed for a second; nothing about it has changed for the quiet time. Changes are those of the
/// inode's change time, which no copying program can set back. An empty file may be somebody's first step, and waits for
/// the quiet time.
struct FileStability {
    /// Nanoseconds.
    let quietTime: Int64
    /// Nanoseconds since the epoch.
    let now: Int64

    private static let second: Int64 = 1_000_000_000

    /// - Parameter now: The present time.
    init(quietTime: Duration, now: Timestamp) {
        self.quietTime = quietTime.components.seconds * Self.second + quietTime.components.attoseconds / Self.second
        self.now = now.milliseconds * 1_000_000
    }

    /// The state of a file, as far as it shows without a look at all bytes.
    enum State: Equatable {
        case complete
        /// Somebody has it open: the kernel will tell when that ends.
        case beingWritten
        /// Nobody has it open, as far as can be told, but it was changed too recently to be sure, for so many
        /// nanoseconds.
        case fresh(for: Int64)
    }

    /// Judges a file.
    ///
    /// - Throws: `FileError`, also when it cannot be opened: then it is not to be claimed either.
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

    /// Whether the file ends as its image format says that it must.
    private func endsAsImage(_ file: FileReader) -> Bool {
        guard let byteCount = try? file.byteCount() else { return false }
        return ImageFormat.isComplete(byteCount: byteCount) { try file.read(at: $0, maxBytes: $1) }
    }

    /// The nanoseconds until the file has been unchanged for the quiet time, or for a shorter one.
    func remaining(_ entry: Directory.Entry, _ time: Int64? = nil) -> Int64 {
        let (age, overflow) = now.subtractingReportingOverflow(entry.changedNanoseconds)
        return overflow ? 0 : max(0, min(time ?? quietTime, quietTime) - max(0, age))
    }

    /// Whether nothing about it has changed for the quiet time, or for less.
    func isQuiet(_ entry: Directory.Entry, for time: Int64? = nil) -> Bool {
        // A change time in the future means that the clock was set back: then it counts as quiet. Not so one of this very
        // millisecond, which is later than ours by a fraction of it.
        let (age, overflow) = now.subtractingReportingOverflow(entry.changedNanoseconds)
        return overflow || age >= min(time ?? quietTime, quietTime) || age < -Self.second
    }

    /// Whether it has rested for a second, or for the quiet time where that is less.
    func isAtRest(_ entry: Directory.Entry) -> Bool {
        isQuiet(entry, for: Self.second)
    }
}
