package import Files
package import HummingbirdCore
import NIOCore

extension ResponseBody {
    package static let chunkBytes = 256 << 10

    /// Creates a body from a part of a file, read as fast as it can be sent; `owner` is released afterwards.
    package init(_ file: FileReader, _ range: Range<Int>, holding owner: (any Sendable)? = nil) {
        self.init(contentLength: range.count) { writer in
            defer { withExtendedLifetime(owner) {} }
            try await Self.send(file, range, to: &writer)
            try await writer.finish(nil)
        }
    }

    /// Sends a part of a file.
    @concurrent package static func send(
        _ file: FileReader, _ range: Range<Int>, to writer: inout any ResponseBodyWriter
    ) async throws {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let count = min(chunkBytes, range.upperBound - offset)
            let bytes = try await FileThreads.run { [offset] () throws(FileError) in
                try file.read(at: offset, maxBytes: count)
            }
            guard !bytes.isEmpty else { throw FileError(.io, "a file became shorter while it was read") }
            try await writer.write(ByteBuffer(bytes: bytes))
            offset += bytes.count
        }
    }
}
