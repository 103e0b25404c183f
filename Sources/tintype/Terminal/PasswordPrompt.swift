import ArgumentParser
import Glibc

/// A prompt for a password, which the terminal does not show while it is typed.
enum PasswordPrompt {
    /// The longest password, in bytes.
    private static let maxBytes = 4096

    /// Whether standard input is a terminal, so that a person can answer.
    static var isPossible: Bool { isatty(STDIN_FILENO) == 1 }

    /// Reads a new password twice.
    ///
    /// - Throws: `ValidationError` when the two differ, and `ExitStatus.failed` when the person cancels.
    static func newPassword() throws -> String {
        let password = try read("Password: ")
        guard try read("Again: ") == password else { throw ValidationError("the two passwords differ") }
        return password
    }

    /// Reads a line. Keys raise no signals meanwhile, because Ctrl-C would leave a terminal without echo: its byte ends
    /// the prompt.
    private static func read(_ prompt: String) throws -> String {
        var usual = termios()
        guard tcgetattr(STDIN_FILENO, &usual) == 0 else { throw ValidationError("the terminal cannot be used") }
        var silent = usual
        silent.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        withUnsafeMutableBytes(of: &silent.c_cc) { keys in
            keys[Int(VMIN)] = 1
            keys[Int(VTIME)] = 0
        }
        // Immediately, and without discarding earlier input.
        guard tcsetattr(STDIN_FILENO, TCSANOW, &silent) == 0 else {
            throw ValidationError("the terminal cannot be silenced")
        }
        defer {
            tcsetattr(STDIN_FILENO, TCSANOW, &usual)
            Terminal.endLine()
        }
        Terminal.draw(prompt)
        guard let text = String(validating: try line(), as: UTF8.self) else {
            throw ValidationError("the password is not UTF-8")
        }
        return text
    }

    private static func line() throws -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            var byte: UInt8 = 0
            let count = Glibc.read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { throw ExitStatus.failed }
            switch byte {
            case 0x0A, 0x0D: return bytes  // The end of the line.
            case 0x03: throw ExitStatus.failed  // Ctrl-C.
            case 0x04:  // Ctrl-D.
                guard !bytes.isEmpty else { throw ExitStatus.failed }
                return bytes
            case 0x08, 0x7F:  // Backspace deletes a character, of however many bytes.
                while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
            case 0x15: bytes = []  // Ctrl-U.
            default:
                guard bytes.count < maxBytes else { throw ValidationError("the password is too long") }
                bytes.append(byte)
            }
        }
    }
}
