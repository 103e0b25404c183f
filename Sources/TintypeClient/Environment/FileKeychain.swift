public import Foundation

#if canImport(Glibc)
    internal import Glibc
#endif

/// A keychain of files that only the user can read, for systems without a keychain.
///
/// Each secret is a file of a folder. A write replaces the file as a whole, and is durable when it returns: after a crash
/// the secret is the one before or the one after. The secrets are not encrypted.
public actor FileKeychain: Keychain {
    private let folder: URL

    /// Creates a keychain.
    ///
    /// - Parameter folder: The folder for the files, which is created with the first secret (mode 0700).
    public init(folder: URL) { self.folder = folder }

    /// Returns a secret; nil for none.
    ///
    /// - Throws: `KeychainError`.
    public func secret(named name: String) throws -> Data? {
        let file = file(named: name)
        let descriptor = open(file.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        if descriptor < 0, errno == ENOENT { return nil }
        try check(descriptor, file)
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        defer { try? handle.close() }
        do { return try handle.readToEnd() ?? Data() } catch { throw KeychainError("\(file.path): \(error)") }
    }

    /// Stores a secret, or removes it with nil. It is durable when this returns.
    ///
    /// - Throws: `KeychainError`; the secret is then as it was.
    public func setSecret(_ secret: Data?, named name: String) throws {
        let file = file(named: name)
        guard let secret else { return try remove(file) }
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw KeychainError("\(folder.path): \(error)")
        }
        try check(chmod(folder.path, 0o700), folder)
        let draft = folder.appendingPathComponent(".\(UUID().uuidString).draft")
        do {
            try write(secret, to: draft)
            try check(rename(draft.path, file.path), file)
        } catch {
            unlink(draft.path)
            throw error
        }
        try synchronizeFolder()
    }

    private func write(_ secret: Data, to draft: URL) throws {
        let descriptor = open(draft.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        try check(descriptor, draft)
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        defer { try? handle.close() }
        do {
            try handle.write(contentsOf: secret)
            try handle.synchronize()
        } catch {
            throw KeychainError("\(draft.path): \(error)")
        }
    }

    private func remove(_ file: URL) throws {
        guard unlink(file.path) == 0 else {
            guard errno == ENOENT else { return try check(-1, file) }
            return
        }
        try synchronizeFolder()
    }

    /// Makes the names in the folder durable.
    private func synchronizeFolder() throws {
        let descriptor = open(folder.path, O_RDONLY | O_CLOEXEC)
        try check(descriptor, folder)
        defer { close(descriptor) }
        try check(fsync(descriptor), folder)
    }

    private func check(_ status: Int32, _ file: URL) throws {
        guard status < 0 else { return }
        throw KeychainError("\(file.path): \(String(cString: strerror(errno)))")
    }

    /// Returns the file of a secret. All but lower-case letters and digits are encoded, so that the file stays in the folder,
    /// and so that a file system that ignores case keeps all names apart.
    private func file(named name: String) -> URL {
        var encoded = "secret-"
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default: encoded += "_\(byte)_"
            }
        }
        return folder.appendingPathComponent(encoded)
    }
}
