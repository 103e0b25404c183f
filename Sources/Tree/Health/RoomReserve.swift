import Glibc
import Synchronization

/// Room on the disk that is kept for deletions, in a file beside the store.
///
/// A deletion writes as well: to the change log, to the engine's own, and what follows from it. On a disk that is full to the last
/// byte nobody could make room. Therefore an update that makes room (``MultiPathUpdate/makesRoom``) and finds the disk full gives up
/// a piece of the file, and is tried again. From then on all others are refused, as they are on a full disk: what was given up
/// is for deletions alone, until there is room enough to set it aside again.
public final class RoomReserve: Sendable {
    /// The size of the file, in bytes: more than the log of the database has before it begins anew
    /// (`SQLiteWriter.restartPages`), so that deletions can go on until it does, and then write over what is there.
    public static let byteCount = 32 << 20
    /// The bytes that are given up at a time: several times what a deletion writes, and few, as another program may take them.
    static let pieceBytes = 4 << 20

    private struct State {
        /// The size of the file, in bytes.
        var size: Int
        /// Whether the file is known to have its blocks: one that was copied may lack them.
        var hasBlocks = false
    }

    private let path: String
    private let fullSize: Int
    private let pieceBytes: Int
    /// Held while the file is changed.
    private let state: Mutex<State>
    /// The size of the file, to be read meanwhile.
    private let size: Atomic<Int>
    private let givenUp = Atomic(false)

    /// Looks at the file, if there is one; ``refill(free:)`` makes it.
    public convenience init(path: String) {
        self.init(path: path, byteCount: Self.byteCount, pieceBytes: Self.pieceBytes)
    }

    init(path: String, byteCount: Int, pieceBytes: Int) {
        (self.path, fullSize, self.pieceBytes) = (path, byteCount, pieceBytes)
        let size = Self.size(of: path) ?? 0
        state = Mutex(State(size: size))
        self.size = Atomic(size)
    }

    /// The number of bytes that have to be free for the file to be made or filled: twice its size, so that it never takes the last.
    public var requiredBytes: Int { 2 * fullSize }

    /// Whether a part of it was given up, and is not back: only what makes room is written.
    public var isGivenUp: Bool { givenUp.load(ordering: .acquiring) }

    /// Commits an update; one that makes room gives up as much of the file as it takes.
    ///
    /// - Throws: ``TreeError`` with code `disk_full`, for what makes no room while a part is given up; what the commit throws.
    func admit<Receipt>(
        makingRoom makesRoom: Bool, _ commit: () async throws(TreeError) -> Receipt
    ) async throws(TreeError) -> Receipt {
        while true {
            if isGivenUp, !makesRoom { throw keptForDeletions }
            let seen = size.load(ordering: .acquiring)
            do {
                return try await commit()
            } catch {
                guard error.code == .diskFull, makesRoom, await giveUp(from: seen) else { throw error }
            }
        }
    }

    /// Gives up a piece of the file where less than that is free: a start writes a little, too. Blocks.
    public func makeRoomForStart(free: Int) {
        if free < pieceBytes { _ = givePieceUp(from: size.load(ordering: .acquiring)) }
    }

    private var keptForDeletions: TreeError {
        TreeError(
            .diskFull, "the disk is full; what is left of it is for deletions",
            hint: "delete something, or free some space: \(requiredBytes >> 20) MiB have to be free")
    }

    /// Gives up a piece of the file, unless somebody has done so since it had a size.
    ///
    /// - Returns: Whether there is more room than there was then.
    private func giveUp(from seen: Int) async -> Bool {
        await withCheckedContinuation { continuation in
            do throws(TreeError) {
                try startThread { continuation.resume(returning: self.givePieceUp(from: seen)) }
            } catch {
                continuation.resume(returning: false)
            }
        }
    }

    private func givePieceUp(from seen: Int) -> Bool {
        state.withLock { state in
            if state.size < seen { return true }
            guard state.size > 0 else { return false }
            let rest = max(0, state.size - pieceBytes)
            // Synced, for some file systems give blocks out anew only when nobody can want them back.
            guard withFile(O_WRONLY, { ftruncate($0, off_t(rest)) == 0 && fsync($0) == 0 }) else { return false }
            state.size = rest
            givenUp.store(true, ordering: .releasing)
            size.store(rest, ordering: .releasing)
            return true
        }
    }

    /// Makes the file, or fills it again, if there is room for that; blocks.
    ///
    /// - Parameter free: How many bytes of the disk are free.
    /// - Returns: Whether it took any of them.
    public func refill(free: Int) -> Bool {
        state.withLock { state in
            let present = Self.size(of: path)
            defer { size.store(state.size, ordering: .releasing) }
            state.size = present ?? 0
            if state.size >= fullSize, state.hasBlocks || free < requiredBytes {
                givenUp.store(false, ordering: .releasing)
                return false
            }
            guard free >= requiredBytes else {
                // An earlier process may have given it up.
                if present != nil { givenUp.store(true, ordering: .releasing) }
                return false
            }
            let isFull = fill()
            if isFull != true { undoFill(to: present) }
            state.size = Self.size(of: path) ?? 0
            state.hasBlocks = isFull == true
            if isFull != false { givenUp.store(false, ordering: .releasing) }
            return isFull == true
        }
    }

    /// - Returns: Whether there was room for it; nil where something else is in the way, such as a file system that can keep none.
    private func fill() -> Bool? {
        var code: Int32 = 0
        let isOpen = withFile(O_WRONLY | O_CREAT) { file in
            code = posix_fallocate(file, 0, off_t(fullSize))
            return true
        }
        if isOpen, code == 0 { return true }
        return isOpen && (code == ENOSPC || code == EDQUOT) ? false : nil
    }

    /// Leaves no file where there was none: it would say that something was given up.
    private func undoFill(to size: Int?) {
        guard let size else { return _ = unlink(path) }
        _ = withFile(O_WRONLY) { ftruncate($0, off_t(size)) == 0 }
    }

    private func withFile(_ flags: Int32, _ body: (Int32) -> Bool) -> Bool {
        let file = open(path, flags | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        defer { close(file) }
        return body(file)
    }

    private static func size(of path: String) -> Int? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }
}
