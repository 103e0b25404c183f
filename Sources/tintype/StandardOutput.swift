import Files
import Glibc

/// Where a command's data goes.
enum StandardOutput {
    /// Writes all of the bytes. Blocks.
    ///
    /// - Throws: `FileError` that says why nothing more can be written; `Outcome.failed`, without a word, when the reader
    ///   went away (`| head`), which is nobody's fault.
    static func write(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(STDOUT_FILENO, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EPIPE {
                throw Outcome.failed
            } else if errno != EINTR {
                let fault = FileError(errno: errno, doing: "write to standard output")
                throw FileError(fault.code, fault.message, hint: "see where the output was sent to")
            }
        }
    }
}
