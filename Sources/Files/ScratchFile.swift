import CPlatform
import Failpoints
import Glibc

/// A file without a name, for data that are too long for memory. It is deleted when the last reference is released.
///
/// One thread writes, and finishes before others read. Calls block on the disk.
public final class ScratchFile: Sendable {
    /// The reader of the bytes that were written.
    public let reader: FileReader
    private let descriptor: Int32
    private let folderPath: String

    /// Creates the file in a folder; the bytes are stored on its file system.
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

    /// Creates the file in memory, for code that needs a descriptor and has no folder.
    public init() throws(FileError) {
        descriptor = cplatform_memory_file()
        folderPath = "memory"
        guard descriptor >= 0 else { throw FileError(errno: -descriptor, doing: "create a file in memory") }
        reader = FileReader(descriptor: descriptor)
    }

    /// Appends bytes.
    public func append(_ bytes: [UInt8]) throws(FileError) {
        let failure = bytes.withUnsafeBytes { writeAll($0, to: descriptor, path: folderPath) }
        guard failure == 0 else { throw FileError(errno: failure, doing: "write a file in \(folderPath)") }
    }
}

/// Writes all bytes at the current offset of the descriptor.
///
/// - Returns: 0, or the `errno` of the failure.
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
