import Files
import NIOCore
import Pipeline
import Tree

/// What event streams begin with: what is there, as the first event.
///
/// A long one waits for its reader on disk, as answers do, and is in memory a piece at a time.
struct InitialEvents: Sendable {
    private static let pieceBytes = 256 << 10

    private let spool: ResponseSpool
    /// How long the client may take for a piece.
    private let patience: TimeAmount

    init(spool: ResponseSpool, patience: TimeAmount) {
        self.spool = spool
        self.patience = patience
    }

    /// The first event, in the form in which it is sent.
    func text(of value: InitialValue) throws(TreeError) -> SpooledBody.Finished {
        let text = SpooledBody(
            spool: spool, beginning: "event: put\ndata: {\"path\":\"/\",\"data\":", end: "}\n\n")
        let rest = try value.json { piece throws(TreeError) in try text.append(piece) }
        try text.append(rest)
        return try text.finish()
    }

    /// Sends a first event, as fast as it is taken; ends with the stream, if not before.
    func send(
        _ text: SpooledFile, to stream: NIOLoopBound<EventStreamHandler>, eventLoop: any EventLoop, token: SyncToken
    ) async {
        do {
            try await eventLoop.submit { stream.value.begin() }.get()
            var offset = 0
            while offset < text.byteCount {
                let bytes = try await FileThreads.run { [offset] () throws(FileError) in
                    try text.file.read(at: offset, maxBytes: min(Self.pieceBytes, text.byteCount - offset))
                }
                guard !bytes.isEmpty, !Task.isCancelled else { throw CancellationError() }
                try await eventLoop.flatSubmit {
                    stream.value.send(ByteBuffer(bytes: bytes), within: patience)
                        ?? eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel)
                }.get()
                offset += bytes.count
            }
            eventLoop.execute { stream.value.goOn(after: token) }
        } catch {
            // The reader is gone, or too slow, or the disk does not give back what it took.
            eventLoop.execute { stream.value.close() }
        }
    }
}
