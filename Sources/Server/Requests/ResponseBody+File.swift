import Files
import HummingbirdCore
import NIOCore
import Pipeline

extension ResponseBody {
    private static let chunkBytes = 256 << 10

    /// A part of a file, read as fast as it can be sent; `owner` is let go of when it has been.
    init(_ file: FileReader, _ range: Range<Int>, holding owner: (any Sendable)? = nil) {
        self.init(contentLength: range.count) { writer in
            defer { withExtendedLifetime(owner) {} }
            var offset = range.lowerBound
            while offset < range.upperBound {
                let count = min(Self.chunkBytes, range.upperBound - offset)
                let bytes = try await FileThreads.run { [offset] () throws(FileError) in
                    try file.read(at: offset, maxBytes: count)
                }
                guard !bytes.isEmpty else { throw FileError(.io, "a file became shorter while it was read") }
                try await writer.write(ByteBuffer(bytes: bytes))
                offset += bytes.count
            }
            try await writer.finish(nil)
        }
    }
}
