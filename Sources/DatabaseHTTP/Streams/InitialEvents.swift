import Database
import Files
package import NIOCore
import Tree

/// Sends the first events of streams, which carry the current value.
///
/// A long one waits on disk for its reader, as responses do, and is loaded piece by piece.
package struct InitialEvents: Sendable {
    private static let pieceBytes = 256 << 10

    /// The longest time for the client to read a piece.
    let patience: TimeAmount

    package init(patience: TimeAmount) {
        self.patience = patience
    }

    /// Sends a first event as fast as the client reads it; stops when the stream ends.
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
            // The reader is disconnected or too slow, or the file cannot be read back.
            eventLoop.execute { stream.value.close() }
        }
    }
}
