internal import CSandbox
internal import Glibc

/// Memory into which a worker writes the renditions of an image. This side never maps it: what is read is a copy, which
/// no worker can change after it was looked at.
struct SharedMemory: ~Copyable {
    let descriptor: Int32
    let byteCount: Int

    init(byteCount: Int) throws(IsolationError) {
        self.byteCount = byteCount
        descriptor = csandbox_shared_memory(byteCount)
        guard descriptor >= 0 else { throw .noWorker("memory: \(String(errno: -descriptor))") }
    }

    deinit { _ = close(descriptor) }

    /// Checks that this system has such memory.
    static func checkSystem() throws(IsolationError) {
        let descriptor = csandbox_shared_memory(1)
        guard descriptor >= 0 else { throw .unavailable("sealed memory (memfd_create): \(String(errno: -descriptor))") }
        _ = close(descriptor)
    }

    /// Gives back what was written, once that is much.
    func release(after count: Int) {
        if count > 4 << 20 { _ = csandbox_release(descriptor, byteCount) }
    }

    /// A copy of some bytes; fewer where there are not so many.
    func bytes(at offset: Int, count: Int) -> [UInt8] {
        read(descriptor, at: offset, maxBytes: count).bytes
    }
}

/// Reads until there are so many bytes, or no more, or an error.
func read(_ descriptor: Int32, at offset: Int, maxBytes: Int) -> (bytes: [UInt8], error: Int32) {
    var error: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: maxBytes) { buffer, count in
        while count < maxBytes {
            let result = pread(descriptor, buffer.baseAddress.map { $0 + count }, maxBytes - count, offset + count)
            if result < 0, errno == EINTR { continue }
            if result < 0 { error = errno }
            guard result > 0 else { break }
            count += result
        }
    }
    return (bytes, error)
}

extension String {
    /// The system's words for an error number.
    init(errno code: Int32) { self = strerror(code).map { String(cString: $0) } ?? "error \(code)" }
}
