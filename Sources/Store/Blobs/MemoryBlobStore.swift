public import Files
import Synchronization

/// A blob store in memory, which is lost when the process ends.
public final class MemoryBlobStore: BlobStore {
    private struct State {
        var bytes: [String: [UInt8]] = [:]
        /// The names of all blobs, in byte order.
        var names: [String] = []
        var mark: [UInt8]?

        /// The number of names that precede a text.
        func count(before text: String) -> Int {
            var (low, high) = (0, names.count)
            while low < high {
                let middle = (low + high) / 2
                if names[middle] < text { low = middle + 1 } else { high = middle }
            }
            return low
        }

        mutating func set(_ value: [UInt8], as name: String) {
            if bytes.updateValue(value, forKey: name) == nil { names.insert(name, at: count(before: name)) }
        }

        mutating func remove(_ name: String) {
            if bytes.removeValue(forKey: name) != nil { names.remove(at: count(before: name)) }
        }

        /// The index of the first name that a walk has not passed.
        func start(of walk: BlobWalk) -> Int {
            guard let after = walk.after else { return count(before: walk.prefix) }
            return after.hasSuffix("/") ? end(of: after) : count(before: "\(after)\0")
        }

        /// The index after all names that begin with a prefix, which ends in a slash.
        func end(of prefix: String) -> Int {
            count(before: prefix.dropLast() + String(UnicodeScalar(UInt8(ascii: "/") + 1)))
        }
    }

    private static let pieceBytes = 256 << 10

    private let state = Mutex(State())

    /// Creates an empty store.
    public init() {}

    /// See ``BlobStore/put(_:as:)``.
    public func put(_ staged: StagedFile, as name: BlobName) async throws(FileError) {
        try await FileThreads.run { [self] () throws(FileError) in
            let contents = try staged.contents()
            let bytes = try staged.reader().readAll(maxBytes: contents.byteCount)
            guard bytes.count == contents.byteCount else {
                throw FileError(.io, "a file changed before it was stored as \(name)")
            }
            state.withLock { $0.set(bytes, as: name.description) }
            try staged.discard()
        }
    }

    /// See ``BlobStore/put(_:)``.
    @discardableResult
    public func put(_ blobs: [(name: BlobName, bytes: [UInt8])]) -> [Int] {
        state.withLock { state in
            blobs.map { name, bytes in
                if let taken = state.bytes[name.description] { return taken.count }
                state.set(bytes, as: name.description)
                return bytes.count
            }
        }
    }

    /// See ``BlobStore/reader(of:)``.
    public func reader(of name: BlobName) throws(FileError) -> BlobReader {
        guard let bytes = state.withLock({ $0.bytes[name.description] }) else {
            throw FileError(.notFound, "the blob \(name) does not exist")
        }
        return BlobReader(byteCount: bytes.count) { range in
            let rest = PieceCount(range.count)
            return {
                let piece = bytes[range].suffix(rest.value).prefix(Self.pieceBytes)
                rest.subtract(piece.count)
                return piece.isEmpty ? nil : Array(piece)
            }
        }
    }

    /// See ``BlobStore/page(of:limit:)``.
    public func page(of walk: BlobWalk, limit: Int) -> BlobPage {
        state.withLock { state in
            var page = BlobPage()
            let prefix = walk.prefix
            var index = state.start(of: walk)
            while index < state.names.count, state.names[index].hasPrefix(prefix) {
                guard page.entries.count < limit else {
                    page.next = walk.behind(page.entries.last?.path)
                    break
                }
                let name = state.names[index]
                let parts = name.split(separator: "/").map(String.init)
                let entry: BlobEntry =
                    switch walk.detail {
                    case .users: BlobEntry(userID: parts[0])
                    case .posts: BlobEntry(userID: parts[0], postID: parts[1])
                    case .names, .sizes:
                        BlobEntry(
                            userID: parts[0], postID: parts[1], fileName: parts[2], byteCount: state.bytes[name]?.count)
                    }
                page.entries.append(entry)
                index = entry.fileName.isEmpty ? state.end(of: entry.path) : index + 1
            }
            return page
        }
    }

    /// See ``BlobStore/remove(_:)-([BlobName])``.
    public func remove(_ names: [BlobName]) {
        state.withLock { state in
            for name in names { state.remove(name.description) }
        }
    }

    /// See ``BlobStore/mark()``.
    public func mark() -> [UInt8]? { state.withLock { $0.mark } }

    /// See ``BlobStore/setMark(_:)``.
    public func setMark(_ bytes: [UInt8]) { state.withLock { $0.mark = bytes } }

    /// See ``BlobStore/probe()``: memory can always be written.
    public func probe() {}
}
