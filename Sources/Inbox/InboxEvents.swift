import DequeModule
import Files
import Glibc
import HeapModule
import Model
import NIOCore
import NIOPosix
import Synchronization

/// The kernel's events in the inbox (inotify(7)): names to look at, and folders to walk through.
///
/// Events are only hints: network file systems send none, and the kernel's queue can overflow, like the one here. The
/// listener must therefore walk through everything from time to time.
final class InboxEvents: Sendable {
    /// The kind of an event.
    enum Kind: Sendable {
        /// The file appeared or changed.
        case seen
        /// The file was closed by a writer.
        case closed
        /// The file appeared as a whole, by a rename.
        case moved
    }

    /// A name in a folder, to be looked at.
    struct Name: Sendable, Comparable {
        let folder: InboxFolder
        let text: String
        let kind: Kind
        fileprivate let due: ContinuousClock.Instant

        static func < (one: Name, other: Name) -> Bool { one.due < other.due }
    }

    /// The events that have not been handled yet.
    struct News: Sendable {
        var names: [Name] = []
        /// The roots in which a folder or file appeared that a walk must find.
        var walks: Set<InboxFolder.Root> = []
        /// Whether events were lost, so that everything must be walked through.
        var isIncomplete = false
    }

    private struct State {
        var settling: Deque<Name> = []
        var later = Heap<Name>()
        var news = News()
        var folders: [Int32: InboxFolder] = [:]
    }

    /// The largest number of remembered names; further ones are found by a walk.
    private static let maxNames = 1 << 16
    /// The time that copying programs have for a photo and its text, which they write one after the other.
    private static let settlingTime: Duration = .milliseconds(250)
    /// The bounds of the time after which a file that was changed too recently is looked at again.
    private static let shortestWait: Duration = .milliseconds(250)
    private static let longestWait: Duration = .seconds(60)
    /// The events to watch. They include changes of attributes, so that a file whose permissions were fixed need not
    /// wait for the next walk.
    private static let mask = UInt32(
        IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_ATTRIB | IN_ONLYDIR | IN_DONT_FOLLOW)

    private let path: String
    private let descriptor: Int32
    private let state = Mutex(State())
    private let signal = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// Starts to listen to the inbox.
    init(inbox: Directory) throws {
        path = inbox.path
        descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { throw FileError(errno: errno, doing: "watch \(inbox.path)") }
        watch(InboxFolder(root: .inbox))
    }

    /// Listens to a folder below the inbox as well. Repeated calls are harmless. If the kernel's watches are used up,
    /// walks find the files.
    func watch(_ folder: InboxFolder) {
        let watch = inotify_add_watch(descriptor, ([path] + folder.folders).joined(separator: "/"), Self.mask)
        if watch >= 0 { state.withLock { $0.folders[watch] = folder } }
    }

    /// Returns the events that are due, at most `limit` names; each is returned once.
    func take(_ limit: Int) -> News {
        let now = ContinuousClock.now
        return state.withLock { state in
            defer { state.news = News() }
            var news = state.news
            while news.names.count < limit, let first = state.settling.first, first.due <= now {
                news.names.append(state.settling.removeFirst())
            }
            while news.names.count < limit, let first = state.later.min, first.due <= now {
                news.names.append(state.later.removeMin())
            }
            return news
        }
    }

    /// Schedules another look at a name after some time, unless too many are scheduled, or a walk comes first.
    func lookAgain(at name: String, in folder: InboxFolder, after time: Duration) {
        guard time < Self.longestWait else { return }
        let name = Name(folder: folder, text: name, kind: .seen, due: .now + max(time, Self.shortestWait))
        state.withLock { if $0.later.count < Self.maxNames { $0.later.insert(name) } }
    }

    /// Whether names wait until they are due.
    var hasNames: Bool { state.withLock { !$0.settling.isEmpty || !$0.later.isEmpty } }

    /// The signals to read the events. Several signals are merged into one while the reader is busy.
    var signals: AsyncStream<Void> { signal.stream }

    func wake() {
        signal.continuation.yield()
    }

    func stop() {
        signal.continuation.finish()
    }

    /// Listens until the surrounding task is cancelled.
    func run() async throws {
        let channel = try await NIOPipeBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            // The buffer must have room for the longest event, or the kernel refuses the read.
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 64 * 1024))
            .takingOwnershipOfDescriptor(input: descriptor) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, Never>(wrappingChannelSynchronously: channel)
                }
            }
        try await channel.executeThenClose { inbound in
            for try await buffer in inbound { note(buffer) }
        }
    }

    /// Parses data from inotify: any number of whole events.
    func note(_ buffer: ByteBuffer) {
        var buffer = buffer
        state.withLock { state in
            // struct inotify_event: int wd; uint32_t mask, cookie, len; char name[len], padded with NUL.
            while let (watch, mask, _, length) = buffer.readMultipleIntegers(
                endianness: .host, as: (Int32, UInt32, UInt32, UInt32).self),
                let bytes = buffer.readBytes(length: Int(length))
            {
                note(bytes.prefix { $0 != 0 }, mask, of: watch, in: &state)
            }
        }
        wake()
    }

    private func note(_ name: ArraySlice<UInt8>, _ mask: UInt32, of watch: Int32, in state: inout State) {
        if mask & UInt32(IN_Q_OVERFLOW) != 0 { state.news.isIncomplete = true }
        if mask & UInt32(IN_IGNORED) != 0 { state.folders[watch] = nil }
        guard let folder = state.folders[watch], !name.isEmpty, !IgnoredFiles.contains(name) else { return }
        let isFolder = mask & UInt32(IN_ISDIR) != 0
        let text = String(validating: name, as: UTF8.self)
        let isPost = isFolder && folder.owner != nil && text?.hasSuffix(Sidecar.postFolderSuffix) == true
        guard let text, isPost || !isFolder else {
            let newUser = isFolder && folder.owner == nil ? text.flatMap { UserID($0) } : nil
            state.news.walks.insert(newUser.map { .user($0) } ?? folder.root)
            return
        }
        if !isFolder, mask & UInt32(IN_CREATE) != 0 { return }  // Another event reports when it is closed.
        let kind: Kind =
            if mask & UInt32(IN_MOVED_TO) != 0 {
                .moved
            } else if !isFolder, mask & UInt32(IN_CLOSE_WRITE) != 0 {
                .closed
            } else {
                .seen
            }
        guard state.settling.count < Self.maxNames else {
            state.news.isIncomplete = true
            return
        }
        state.settling.append(
            Name(folder: folder, text: text, kind: kind, due: .now + Self.settlingTime))
    }
}
