import Blobs
import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// What the kernel tells about the inbox (inotify(7)), and a clock for when it tells nothing.
///
/// Only a hint: on network file systems nothing comes, and the queue of events can overflow. Whoever listens scans.
final class InboxHints: Sendable {
    private struct State {
        var finished: Set<String> = []
        var folders: [Int32: String] = [:]
    }

    private static let mask = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_ATTRIB | IN_ONLYDIR)

    private let path: String
    private let descriptor: Int32
    private let state = Mutex(State())
    private let signal = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// Begins to listen to the inbox and to the users' folders in it.
    init(inbox: Directory) throws {
        path = inbox.path
        descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { throw BlobError(errno: errno, doing: "watch \(inbox.path)") }
        watch("")
    }

    /// Names (`uid/name`) that were finished since the last call.
    func takeFinished() -> Set<String> {
        state.withLock { state in
            defer { state.finished = [] }
            return state.finished
        }
    }

    /// Listens to a user's folder as well; listening twice is harmless, and a folder that went away is forgotten.
    func watch(_ folder: String) {
        let watch = inotify_add_watch(descriptor, folder.isEmpty ? path : "\(path)/\(folder)", Self.mask)
        if watch >= 0 { state.withLock { $0.folders[watch] = folder } }
    }

    /// A reason to scan; several that come while nobody asks are one.
    var signals: AsyncStream<Void> { signal.stream }

    func scanSoon() {
        signal.continuation.yield()
    }

    func stop() {
        signal.continuation.finish()
    }

    /// Listens until the surrounding task is cancelled.
    func run() async throws {
        let channel = try await NIOPipeBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            // A read must have room for the longest event, or the kernel refuses it.
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

    private func note(_ buffer: ByteBuffer) {
        var buffer = buffer
        // struct inotify_event: int wd; uint32_t mask, cookie, len; char name[len], padded with NUL.
        while let (watch, mask, _, length) = buffer.readMultipleIntegers(
            endianness: .host, as: (Int32, UInt32, UInt32, UInt32).self),
            let bytes = buffer.readBytes(length: Int(length))
        {
            let name = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            state.withLock { state in
                guard mask & UInt32(IN_CLOSE_WRITE | IN_MOVED_TO) != 0, let folder = state.folders[watch] else {
                    return
                }
                state.finished.insert(folder.isEmpty ? name : "\(folder)/\(name)")
            }
        }
        scanSoon()
    }
}
