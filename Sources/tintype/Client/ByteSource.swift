import Files
import Glibc
import NIOCore
import NIOPosix

/// The bytes of a file or of standard input, in chunks, read on threads that may block.
struct ByteSource: AsyncSequence, Sendable {
    private static let chunkBytes = 256 << 10

    /// The length in bytes; nil when it is not known.
    let byteCount: Int?
    /// Reads up to a number of bytes at an offset; returns none at the end.
    private let read: @Sendable (_ offset: Int, _ maxBytes: Int) throws -> [UInt8]

    /// Opens the regular file at a path.
    init(path: String) throws(FileError) {
        try self.init(FileReader(path: path))
    }

    /// Reads an open file.
    init(_ file: FileReader) throws(FileError) {
        byteCount = try file.byteCount()
        read = { try file.read(at: $0, maxBytes: $1) }
    }

    /// Standard input, which can be read once.
    static let standardInput = ByteSource { _, maxBytes in
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: maxBytes) { buffer, count in
            var result = Glibc.read(STDIN_FILENO, buffer.baseAddress, maxBytes)
            while result < 0, errno == EINTR { result = Glibc.read(STDIN_FILENO, buffer.baseAddress, maxBytes) }
            if result < 0 { failure = errno }
            count = Swift.max(result, 0)
        }
        guard failure == 0 else { throw FileError(errno: failure, doing: "read standard input") }
        return bytes
    }

    private init(_ read: @escaping @Sendable (Int, Int) throws -> [UInt8]) {
        byteCount = nil
        self.read = read
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let read: @Sendable (Int, Int) throws -> [UInt8]
        private var offset = 0

        fileprivate init(read: @escaping @Sendable (Int, Int) throws -> [UInt8]) {
            self.read = read
        }

        mutating func next() async throws -> ByteBuffer? {
            let (read, offset) = (read, offset)
            let bytes = try await NIOThreadPool.singleton.runIfActive { try read(offset, chunkBytes) }
            self.offset += bytes.count
            return bytes.isEmpty ? nil : ByteBuffer(bytes: bytes)
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(read: read) }
}
