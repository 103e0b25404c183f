extension Directory {
    /// The folder in which is tried whether files can be written; no upload and no user is called so.
    private static let probeName = ".probe"

    /// Tries all that a durable write asks of the file system (make a folder, write, `fsync`, rename, read, delete), and
    /// leaves nothing behind.
    ///
    /// - Throws: `FileError`, the first thing that was refused.
    public func probe() throws(FileError) {
        try removeProbe()
        do throws(FileError) {
            let folder = try folder(Self.probeName, create: true)
            let bytes = [UInt8](repeating: 0x55, count: 4096)
            try folder.write(bytes, as: "probe")
            guard try folder.file("probe").readAll(maxBytes: bytes.count) == bytes else {
                throw FileError(.io, "what was written to \(folder.path) is not what is read from it")
            }
        } catch {
            try? removeProbe()
            throw error
        }
        try removeProbe()
    }

    /// Deletes what a probe that was cut off left behind.
    public func removeProbe() throws(FileError) { try removeTree(Self.probeName) }
}
