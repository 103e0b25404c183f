import CPlatform
import Failpoints
import Glibc

/// A file without a name, for what is too long for memory for a while: it goes when the last reference does.
///
/// One thread writes, and is done before others read. Calls block on the disk.
public final class ScratchFile: Sendable {
    /// Reads what was written.
    public let reader: FileReader
    private let descriptor: Int32
    private let folderPath: String

    /// Makes the file in a folder, whose file system takes the bytes.
    public init(in folder: Directory) throws(FileError) {
        let name = ".\(UInt64.random(in: .min ... .max)).part"
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        descriptor = Failpoint.create.around("\(folder.path)/\(name)") {
            cplatform_openat(folder.descriptor, name, flags, 0o600)
        }
        folderPath = folder.path
        guard descriptor >= 0 else { throw FileError(errno: -descriptor, doing: "create a file in \(folder.path)") }
        reader = FileReader(descriptor: descriptor)
        try folder.remove(name)
    }

    /// Makes the file in memory, for whoever needs a descriptor and has no folder.
    public init() throws(FileError) {
        descriptor = cplatform_memory_file()
        folderPath = "memory"
        guard descriptor >= 0 else { throw FileError(errno: -descriptor, doing: "create a file in memory") }
        reader = FileReader(descriptor: descriptor)
    }

    /// Adds bytes at the end.
    public func append(_ bytes: [UInt8]) throws(FileError) {
        let failure = bytes.withUnsafeBytes { writeAll($0, to: descriptor, path: folderPath) }
        guard failure == 0 else { throw FileError(errno: failure, doing: "write a file in \(folderPath)") }
    }
}

/// Writes all bytes where the descriptor stands.
///
/// - Returns: 0, or the `errno` that kept it from doing so.
func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, path: String) -> Int32 {
    var offset = 0
    while offset < bytes.count {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
        let written = Failpoint.write.around(path) { write(descriptor, rest.baseAddress, rest.count) }
        if written < 0, errno == EINTR { continue }
        guard written >= 0 else { return errno }
        offset += written
    }
    return 0
}
