import Dispatch
import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// A terminal whose keys come one by one, and whose whole screen belongs to this program.
struct Terminal {
    /// The size, in characters.
    struct Size: Equatable, Sendable {
        var columns = 80
        var rows = 24
    }

    private let isTrueColor = ["truecolor", "24bit"].contains(ProcessInfo.processInfo.environment["COLORTERM"])
    private var shown: [String] = []
    private var size = Size()

    static var isThere: Bool { isatty(0) == 1 && isatty(1) == 1 }

    /// Runs a body with the terminal, and gives it back as it was, also when the body throws.
    ///
    /// - Parameter send: Receives the keys, changes of the size, and signals that end the program.
    static func run(_ send: @escaping @Sendable (Event) -> Void, _ body: (inout Terminal) async throws -> Void) async throws {
        var saved = termios()
        guard tcgetattr(0, &saved) == 0 else { throw Failure("standard input is no terminal") }
        var raw = saved
        cfmakeraw(&raw)
        let signals = [SIGWINCH, SIGTERM, SIGHUP, SIGINT].map { number in
            // The source gets the signal also while it is ignored, and otherwise it would end the program.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { send(number == SIGWINCH ? .resized : .quit) }
            return source
        }
        let keys = DispatchSource.makeReadSource(fileDescriptor: 0)
        keys.setEventHandler {
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = read(0, &bytes, bytes.count)
            send(count > 0 ? .input(Array(bytes.prefix(count))) : .quit)
        }
        tcsetattr(0, TCSADRAIN, &raw)
        // Another screen than the shell's, no cursor, and no new row where a text is too wide.
        write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J")
        for source in signals { source.activate() }
        keys.activate()
        defer {
            keys.cancel()
            for source in signals { source.cancel() }
            write("\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
            tcsetattr(0, TCSADRAIN, &saved)
        }
        var terminal = Terminal()
        try await body(&terminal)
    }

    /// Shows rows. Only those that have changed are sent.
    mutating func draw(_ rows: [Row], in size: Size) {
        var output = ""
        if size != self.size {
            (self.size, shown) = (size, [])
            output = "\u{1B}[2J"
        }
        let lines = (0..<size.rows).map { index in
            index < rows.count ? rows[index].shortened(to: size.columns).ansi(isTrueColor: isTrueColor) : ""
        }
        for (index, line) in lines.enumerated() where index >= shown.count || shown[index] != line {
            output += "\u{1B}[\(index + 1);1H\u{1B}[2K\(line)"
        }
        shown = lines
        Self.write(output)
    }

    /// The present size.
    static var currentSize: Size {
        var size = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return Size() }
        return Size(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    private static func write(_ text: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    }
}

/// A failure that ends the program, with a message for the person.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
