import Files
import HummingbirdCore
import Imaging
import NIOCore
import Requests
import Store
import Uploads

extension ResponseBody {
    /// Creates a body from a part of a blob, sent from the file's descriptor if the blob is local.
    init(_ blob: BlobReader, _ range: Range<Int>) {
        self.init(blob, [.stored(range)])
    }

    /// Creates a body from a part of a blob with pieces of it left out or replaced.
    init(_ blob: BlobReader, _ pieces: [ScrubbedPieces.Piece]) {
        self.init(contentLength: pieces.reduce(0) { $0 + $1.byteCount }) { writer in
            for piece in pieces {
                switch piece {
                case .stored(let range): try await Self.send(blob, range, to: &writer)
                case .bytes(let bytes): try await writer.write(ByteBuffer(bytes: bytes))
                case .repeated(let byte, let count):
                    for start in stride(from: 0, to: count, by: Self.chunkBytes) {
                        try await writer.write(ByteBuffer(repeating: byte, count: min(Self.chunkBytes, count - start)))
                    }
                }
            }
            try await writer.finish(nil)
        }
    }

    @concurrent private static func send(
        _ blob: BlobReader, _ range: Range<Int>, to writer: inout any ResponseBodyWriter
    ) async throws {
        if let file = blob.file { return try await send(file, range, to: &writer) }
        let next = try await blob.pieces(of: range)
        while let bytes = try await next() { try await writer.write(ByteBuffer(bytes: bytes)) }
    }
}
