import Files
import Glibc

/// The standard output, to which a command writes its data.
enum StandardOutput {
    /// Writes all bytes. Blocks.
    ///
    /// - Throws: `FileError` when no more can be written; `ExitStatus.failed`, without a message, when the reader
    ///   closed the pipe (`| head`).
    static func write(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(STDOUT_FILENO, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EPIPE {
                throw ExitStatus.failed
            } else if errno != EINTR {
                let fault = FileError(errno: errno, doing: "write to standard output")
                throw FileError(fault.code, fault.message, hint: "Check where the output was sent to.")
            }
        }
    }
}
