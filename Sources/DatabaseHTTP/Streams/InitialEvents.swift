import Database
import Files
package import NIOCore
import Tree

/// The first events of streams, which tell what is there.
///
/// A long one waits for its reader on disk, as answers do, and is in memory a piece at a time.
package struct InitialEvents: Sendable {
    private static let pieceBytes = 256 << 10

    /// How long the client may take for a piece.
    let patience: TimeAmount

    package init(patience: TimeAmount) {
        self.patience = patience
    }

    /// Sends a first event, as fast as it is taken; ends with the stream, if not before.
    func send(
        _ text: SpooledFile, to stream: NIOLoopBound<EventStream>, eventLoop: any EventLoop, token: SyncToken
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
