import Database
import DequeModule
import Files
import NIOCore
import Transport

/// The outgoing messages of one client, in their order. A message on disk is loaded piece by piece, and the others wait
/// behind it.
///
/// Used only on the connection's event loop.
final class OutgoingMessages {
    /// The number of bytes by which a client may fall behind.
    static let maxWaitingBytes = 4 << 20

    private let connection: TakenConnection
    private let eventLoop: any EventLoop
    /// The longest time for the client to read a piece.
    private let patience: TimeAmount
    private let fail: (RealtimeSession.CloseReason) -> Void
    private var isStreaming = false
    private var waiting: Deque<RealtimeSession.Outgoing> = []
    private var waitingBytes = 0
    private var needsFlush = false

    init(
        on connection: TakenConnection, eventLoop: any EventLoop, patience: TimeAmount,
        fail: @escaping (RealtimeSession.CloseReason) -> Void
    ) {
        self.connection = connection
        self.eventLoop = eventLoop
        self.patience = patience
        self.fail = fail
    }

    /// Sends a message when those before it are sent; call ``flush()`` afterwards.
    func send(_ message: RealtimeSession.Outgoing) {
        guard isStreaming else { return write(message) }
        waiting.append(message)
        waitingBytes += message.byteCount
        if waitingBytes > Self.maxWaitingBytes { fail(.slowReader) }
    }

    func flush() {
        guard needsFlush else { return }
        needsFlush = false
        connection.flush()
    }

    private func write(_ message: RealtimeSession.Outgoing) {
        switch message {
        case .message(let text), .spooled(.memory(let text)):
            guard let frames = FrameWriter.frames(text) else { return fail(.tooLarge) }
            put(frames)
        case .frames(let frames): put(frames)
        case .spooled(.file(let file)): stream(file)
        }
    }

    private func put(_ frames: ByteBuffer) {
        guard connection.waitingBytes <= Self.maxWaitingBytes else { return fail(.slowReader) }
        connection.write(frames)
        needsFlush = true
    }

    // MARK: Messages on disk

    private func stream(_ file: SpooledFile) {
        isStreaming = true
        flush()
        let client = NIOLoopBound(self, eventLoop: eventLoop)
        let sender = SpooledSender(file: file, client: client, eventLoop: eventLoop, patience: patience)
        Task { await sender.send() }
    }

    /// Sends frames; see ``TakenConnection/send(_:within:)``.
    fileprivate func send(_ frames: ByteBuffer) -> EventLoopFuture<Void> {
        connection.send(frames, within: patience) ?? eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel)
    }

    fileprivate func breakOff() { fail(.slowReader) }

    fileprivate func goOn() {
        isStreaming = false
        while !isStreaming, let message = waiting.popFirst() {
            waitingBytes -= message.byteCount
            write(message)
        }
        flush()
    }
}

extension RealtimeSession.Outgoing {
    /// The approximate memory of the message, in bytes.
    fileprivate var byteCount: Int {
        switch self {
        case .message(let text), .spooled(.memory(let text)): text.count
        case .frames(let frames): frames.readableBytes
        case .spooled(.file): 1024
        }
    }
}

/// Sends a message from disk as fast as the client reads it.
private struct SpooledSender: Sendable {
    private static let framesAtOnce = 16

    let file: SpooledFile
    let client: NIOLoopBound<OutgoingMessages>
    let eventLoop: any EventLoop
    let patience: TimeAmount

    func send() async {
        do {
            var pieces = try await SpooledPieces(file)
            while let frames = try await pieces.next(Self.framesAtOnce) {
                try await eventLoop.flatSubmit { client.value.send(frames) }.get()
            }
            eventLoop.execute { client.value.goOn() }
        } catch {
            // The client is disconnected or too slow, or the file cannot be read back.
            eventLoop.execute { client.value.breakOff() }
        }
    }
}

/// A message on disk, frame by frame.
private struct SpooledPieces {
    private let file: SpooledFile
    private var ends: [Int]
    private var start = 0
    private var isBegun = false

    /// Finds the ends of the frames.
    ///
    /// - Throws: `FileError`; `RealtimeSession.CloseReason` for a message that needs too many frames.
    init(_ file: SpooledFile) async throws {
        self.file = file
        ends = try await FileThreads.run { () throws(FileError) in
            var ends: [Int] = []
            var start = 0
            while file.byteCount - start > FrameWriter.maxFrameBytes {
                let limit = start + FrameWriter.maxFrameBytes
                start = FrameWriter.cut(before: limit, tail: try file.file.read(at: limit - 3, maxBytes: 4))
                ends.append(start)
            }
            return ends + [file.byteCount]
        }
        guard ends.count <= FrameWriter.maxPieces else { throw RealtimeSession.CloseReason.tooLarge }
    }

    /// Returns the next frames; nil at the end.
    mutating func next(_ count: Int) async throws -> ByteBuffer? {
        guard !ends.isEmpty else { return nil }
        var frames = ByteBuffer()
        if !isBegun { FrameWriter.append(Array("\(ends.count)".utf8)[...], to: &frames) }
        isBegun = true
        let next = ends.prefix(count)
        ends.removeFirst(next.count)
        let (from, to) = (start, next.last ?? start)
        let bytes = try await FileThreads.run { [file] () throws(FileError) in
            try file.file.read(at: from, maxBytes: to - from)
        }
        guard bytes.count == to - from else { throw ChannelError.eof }
        for end in next {
            FrameWriter.append(bytes[(start - from)..<(end - from)], to: &frames)
            start = end
        }
        return frames
    }
}
