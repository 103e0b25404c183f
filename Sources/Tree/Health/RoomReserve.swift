import Glibc
import Synchronization

/// Disk space that is reserved for deletions, in a file beside the store.
///
/// Deletions write too: to the change log, to the engine's log, and derived data. On a completely full disk, they would
/// be impossible. Therefore, if an update that frees space (``MultiPathUpdate/makesRoom``) finds the disk full, a piece
/// of the file is released and the update is tried again. From then on all other updates are refused, as on a full
/// disk: the released space is for deletions only, until there is enough space to reserve it again.
public final class RoomReserve: Sendable {
    /// The size of the file, in bytes. It is more than the length of the database's log at its restart
    /// (`SQLiteWriter.restartPages`), so that deletions can continue until then and afterwards overwrite existing
    /// space.
    public static let byteCount = 32 << 20
    /// The size of a piece, in bytes: several times what a deletion writes, but small, because other programs may use
    /// the released space.
    static let pieceBytes = 4 << 20

    private struct State {
        /// The size of the file, in bytes.
        var size: Int
        /// Whether the file is known to have allocated blocks; a copied file may lack them.
        var hasBlocks = false
    }

    private let path: String
    private let fullSize: Int
    private let pieceBytes: Int
    /// The state of the file, locked while the file is changed.
    private let state: Mutex<State>
    /// The size of the file, in bytes, readable without the lock.
    private let size: Atomic<Int>
    private let givenUp = Atomic(false)

    /// Reads the size of the file, if it exists; ``refill(free:)`` creates it.
    public convenience init(path: String) {
        self.init(path: path, byteCount: Self.byteCount, pieceBytes: Self.pieceBytes)
    }

    init(path: String, byteCount: Int, pieceBytes: Int) {
        (self.path, fullSize, self.pieceBytes) = (path, byteCount, pieceBytes)
        let size = Self.size(of: path) ?? 0
        state = Mutex(State(size: size))
        self.size = Atomic(size)
    }

    /// The number of free bytes that are required to create or refill the file: twice its size, so that it never uses
    /// the last space.
    public var requiredBytes: Int { 2 * fullSize }

    /// Whether a part of the reserve has been released and not restored; only updates that free space are accepted.
    public var isGivenUp: Bool { givenUp.load(ordering: .acquiring) }

    /// Commits an update. If the update frees space, as much of the file is released as it needs.
    ///
    /// - Throws: ``TreeError`` with code `disk_full` for other updates while a part is released; the errors of the
    ///   commit.
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

    /// Releases a piece of the file if less than its size is free, because a start also writes a little. Blocks.
    public func makeRoomForStart(free: Int) {
        if free < pieceBytes { _ = givePieceUp(from: size.load(ordering: .acquiring)) }
    }

    private var keptForDeletions: TreeError {
        TreeError(
            .diskFull, "the disk is full; the remaining space is reserved for deletions",
            hint: "Delete something, or free some space: \(requiredBytes >> 20) MiB must stay free.")
    }

    /// Releases a piece of the file, unless another caller has done so since the file had this size.
    ///
    /// - Returns: Whether space has been released since then.
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
            // Synced because some file systems reuse blocks only after the change is durable.
            guard withFile(O_WRONLY, { ftruncate($0, off_t(rest)) == 0 && fsync($0) == 0 }) else { return false }
            state.size = rest
            givenUp.store(true, ordering: .releasing)
            size.store(rest, ordering: .releasing)
            return true
        }
    }

    /// Creates or refills the file if there is enough space. Blocks.
    ///
    /// - Parameter free: The free space on the disk, in bytes.
    /// - Returns: Whether space was allocated.
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
                // An earlier process may have released it.
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

    /// - Returns: Whether there was enough space; nil for other obstacles, such as a file system that cannot allocate
    ///   blocks.
    private func fill() -> Bool? {
        var code: Int32 = 0
        let isOpen = withFile(O_WRONLY | O_CREAT) { file in
            code = posix_fallocate(file, 0, off_t(fullSize))
            return true
        }
        if isOpen, code == 0 { return true }
        return isOpen && (code == ENOSPC || code == EDQUOT) ? false : nil
    }

    /// Restores the previous size. A file that did not exist is deleted, because its presence would mean that space was
    /// released.
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
