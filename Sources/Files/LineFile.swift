import CPlatform
import Glibc
import NIOPosix
import Synchronization

/// A file to which lines are added, such as a log. A thread of its own writes them, so that nobody who adds a line waits
/// for a disk.
///
/// Lines that cannot be written are dropped, and so are those that arrive while too many wait. Thread-safe.
public final class LineFile: Sendable {
    /// The place of the lines.
    public enum Place: Sendable, Hashable {
        /// A file, which is created if it is missing.
        case file(path: String)
        case standardOutput
    }

    /// The largest number of bytes that wait.
    static let maxWaitingBytes = 4 << 20

    private struct Queue {
        var bytes: [UInt8] = []
        /// Whether the thread works, or will.
        var isBusy = false
        var isReopened = false
        var isClosed = false
        /// Those who wait until the thread has no work; each stream ends then.
        var waiters: [AsyncStream<Never>.Continuation] = []
    }

    /// The state that only the thread uses.
    private struct Output: ~Copyable {
        var descriptor: Int32
        /// Whether the file ends within a line, because the disk was full.
        var isTorn = false
        var hasFailed = false
    }

    private let place: Place
    private let onDrop: @Sendable (Int) -> Void
    private let onFault: @Sendable (FileError?) -> Void
    private let queue = Mutex(Queue())
    private let output: Mutex<Output>
    private let thread = NIOThreadPool(numberOfThreads: 1)

    /// Opens the file.
    ///
    /// - Parameters:
    ///   - onDrop: Is called with the number of lines that were dropped.
    ///   - onFault: Is called with the first error after a success, and with nil for the first success after an error.
    /// - Throws: `FileError`.
    public init(
        _ place: Place, onDrop: @escaping @Sendable (Int) -> Void,
        onFault: @escaping @Sendable (FileError?) -> Void
    ) throws(FileError) {
        self.place = place
        self.onDrop = onDrop
        self.onFault = onFault
        output = Mutex(Output(descriptor: try Self.open(place)))
        thread.start()
    }

    deinit {
        output.withLock { output in _ = Glibc.close(output.descriptor) }
        thread.shutdownGracefully { _ in }
    }

    private static func open(_ place: Place) throws(FileError) -> Int32 {
        switch place {
        case .file(let path):
            // A FIFO without a reader is an error, and one that is full drops lines.
            let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
            let descriptor = cplatform_openat(AT_FDCWD, path, flags, 0o640)
            guard descriptor >= 0 else { throw FileError(errno: -descriptor, doing: "open \(path)") }
            return descriptor
        case .standardOutput:
            let descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
            guard descriptor >= 0 else { throw FileError(errno: errno, doing: "use standard output") }
            return descriptor
        }
    }

    /// Adds a line; its end is added to it.
    public func add(_ line: String) {
        let isKept = queue.withLock { queue in
            guard !queue.isClosed, queue.bytes.count + line.utf8.count < Self.maxWaitingBytes else { return false }
            queue.bytes += line.utf8
            queue.bytes.append(UInt8(ascii: "\n"))
            work(&queue)
            return true
        }
        if !isKept { onDrop(1) }
    }

    /// Opens the file at its path again, after it was renamed; waiting lines belong to the new file. If that fails, the
    /// old file stays in use.
    public func reopen() {
        queue.withLock { queue in
            queue.isReopened = true
            work(&queue)
        }
    }

    /// Writes what waits, and drops later lines. Gives up after a time, because standard output may have a reader that
    /// does not read.
    public func close(within patience: Duration = .seconds(5)) async {
        let (idle, waiter) = AsyncStream<Never>.makeStream()
        queue.withLock { queue in
            queue.isClosed = true
            if queue.isBusy { queue.waiters.append(waiter) } else { waiter.finish() }
        }
        // A task of its own, because a cancelled caller waits, too.
        await Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { for await _ in idle {} }
                group.addTask { try? await Task.sleep(for: patience) }
                await group.next()
                group.cancelAll()
            }
        }.value
    }

    // MARK: The thread

    private func work(_ queue: inout Queue) {
        guard !queue.isBusy else { return }
        queue.isBusy = true
        thread.submit { [self] _ in writeAll() }
    }

    private func writeAll() {
        while true {
            let (bytes, isReopened) = queue.withLock { queue in
                let work = (queue.bytes, queue.isReopened)
                queue.bytes = []
                queue.isReopened = false
                guard work.0.isEmpty, !work.1 else { return work }
                queue.isBusy = false
                queue.waiters.forEach { $0.finish() }
                queue.waiters = []
                return work
            }
            guard !bytes.isEmpty || isReopened else { return }
            output.withLock { output in
                if isReopened { reopen(&output) }
                if !bytes.isEmpty { write(bytes, to: &output) }
            }
        }
    }

    private func reopen(_ output: inout Output) {
        guard case .file = place else { return }
        do throws(FileError) {
            let descriptor = try Self.open(place)
            _ = Glibc.close(output.descriptor)
            (output.descriptor, output.isTorn) = (descriptor, false)
        } catch {
            onFault(error)
            output.hasFailed = true
        }
    }

    private func write(_ lines: [UInt8], to output: inout Output) {
        let newline = UInt8(ascii: "\n")
        let bytes = output.isTorn ? [newline] + lines : lines
        var written = 0
        var failure: Int32?
        while written < bytes.count, failure == nil {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.write(output.descriptor, buffer.baseAddress.map { $0 + written }, buffer.count - written)
            }
            if count > 0 { written += count } else if errno != EINTR { failure = count == 0 ? EIO : errno }
        }
        if written > 0 { output.isTorn = bytes[written - 1] != newline }
        guard let failure else {
            if output.hasFailed { onFault(nil) }
            output.hasFailed = false
            return
        }
        onDrop(bytes[written...].count { $0 == newline })
        if !output.hasFailed { onFault(FileError(errno: failure, doing: "write \(description)")) }
        output.hasFailed = true
    }

    private var description: String {
        switch place {
        case .file(let path): path
        case .standardOutput: "to standard output"
        }
    }
}
