import Foundation

/// A terminal that a test controls.
final class PseudoTerminal: Sendable {
    /// The path that a child opens.
    let path: String
    private let descriptor: Int32

    // TIOCSPTLCK and TIOCGPTN of ioctl_tty(2): Swift does not import functions such as grantpt(3).
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430

    /// Opens a terminal, and types a text for its reader. Without `columns`, it reports no width.
    init(typing text: String = "", columns: UInt16? = nil) throws {
        descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (locked, number): (Int32, Int32) = (0, 0)
        guard descriptor >= 0, ioctl(descriptor, Self.setLock, &locked) == 0,
            ioctl(descriptor, Self.getNumber, &number) == 0
        else { throw DaemonError("no terminal: \(String(cString: strerror(errno)))") }
        path = "/dev/pts/\(number)"
        var size = winsize(ws_row: 24, ws_col: columns ?? 0, ws_xpixel: 0, ws_ypixel: 0)
        guard columns == nil || ioctl(descriptor, UInt(TIOCSWINSZ), &size) == 0 else {
            throw DaemonError("no size of the terminal")
        }
        try type(text)
    }

    /// Types a text for the reader.
    func type(_ text: String) throws {
        let bytes = Array(text.utf8)
        guard write(descriptor, bytes, bytes.count) == bytes.count else { throw DaemonError("nothing can be typed") }
    }

    deinit {
        close(descriptor)
    }

    /// Reads the unread output until no process has the terminal open. The kernel hands it over in pieces of any length.
    func readToEnd() -> String {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Foundation.read(descriptor, &piece, piece.count)
            if count < 0 && errno == EINTR { continue }
            // EIO: the last process has closed it.
            if count <= 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += piece[..<count]
        }
    }
}
