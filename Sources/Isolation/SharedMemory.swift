internal import CSandbox
internal import Glibc

/// Memory into which a worker writes the renditions of an image. The service never maps it, but reads copies, which no
/// worker can change after they have been checked.
struct SharedMemory: ~Copyable {
    let descriptor: Int32
    let byteCount: Int

    init(byteCount: Int) throws(IsolationError) {
        self.byteCount = byteCount
        descriptor = csandbox_shared_memory(byteCount)
        guard descriptor >= 0 else { throw .noWorker("memory: \(String(errno: -descriptor))") }
    }

    /// Returns memory that holds a copy of bytes.
    static func copy(of bytes: ArraySlice<UInt8>) throws(IsolationError) -> SharedMemory {
        let memory = try SharedMemory(byteCount: bytes.count)
        let descriptor = memory.descriptor
        let error = bytes.withUnsafeBytes { bytes -> Int32 in
            var count = 0
            while count < bytes.count {
                let result = pwrite(descriptor, bytes.baseAddress.map { $0 + count }, bytes.count - count, off_t(count))
                if result < 0, errno == EINTR { continue }
                guard result > 0 else { return result < 0 ? errno : EIO }
                count += result
            }
            return 0
        }
        guard error == 0 else { throw .noWorker("memory: \(String(errno: error))") }
        return memory
    }

    deinit { _ = close(descriptor) }

    /// Throws if this system does not support such memory.
    static func checkSystem() throws(IsolationError) {
        let descriptor = csandbox_shared_memory(1)
        guard descriptor >= 0 else { throw .unavailable("sealed memory (memfd_create): \(String(errno: -descriptor))") }
        _ = close(descriptor)
    }

    /// Releases the memory that has been written, if it is much.
    func release(after count: Int) {
        if count > 4 << 20 { _ = csandbox_release(descriptor, byteCount) }
    }

    /// A copy of some bytes; fewer if the memory ends earlier.
    func bytes(at offset: Int, count: Int) -> [UInt8] {
        read(descriptor, at: offset, maxBytes: count).bytes
    }
}

/// Reads bytes until the count is reached, the file ends, or an error occurs.
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
    /// The system's text for an error number.
    init(errno code: Int32) { self = strerror(code).map { String(cString: $0) } ?? "error \(code)" }
}
