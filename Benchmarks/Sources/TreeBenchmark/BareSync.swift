import Glibc

/// Measures the cheapest durable write: 200 bytes behind a file's end, then `fdatasync`, one after another.
enum BareSync {
    private static let byteCount = 200

    /// Returns the number of such writes that this disk completes in a second.
    static func rate(in folder: String, seconds: Double) throws -> Double {
        let path = folder + "/bare"
        let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemError(path) }
        defer {
            close(descriptor)
            unlink(path)
        }
        let bytes = [UInt8](repeating: 0x2E, count: byteCount)
        let clock = ContinuousClock()
        let start = clock.now
        var count = 0
        while start.duration(to: clock.now) < .seconds(seconds) {
            guard pwrite(descriptor, bytes, byteCount, count * byteCount) == byteCount, fdatasync(descriptor) == 0
            else { throw SystemError(path) }
            count += 1
        }
        return Double(count) / (start.duration(to: clock.now) / .seconds(1))
    }
}
