import Foundation

/// A terminal at which a test sits.
final class PseudoTerminal: Sendable {
    /// What a child opens.
    let path: String
    private let descriptor: Int32

    // TIOCSPTLCK and TIOCGPTN of ioctl_tty(2): Swift does not see grantpt(3) and the like.
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430

    /// Opens one, and types a text that waits for whoever reads.
    init(typing text: String = "") throws {
        descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (locked, number): (Int32, Int32) = (0, 0)
        guard descriptor >= 0, ioctl(descriptor, Self.setLock, &locked) == 0,
            ioctl(descriptor, Self.getNumber, &number) == 0
        else { throw DaemonError("no terminal: \(String(cString: strerror(errno)))") }
        path = "/dev/pts/\(number)"
        let bytes = Array(text.utf8)
        guard write(descriptor, bytes, bytes.count) == bytes.count else { throw DaemonError("nothing can be typed") }
    }

    deinit {
        close(descriptor)
    }

    /// What was written to it and not read yet; waits for the first of it. Empty when nobody has it open any more.
    func read() -> String {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = Foundation.read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    }
}
