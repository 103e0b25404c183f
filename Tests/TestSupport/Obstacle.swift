import Foundation
import Glibc

/// Folders in which no file can be created or deleted for a while, not even by root.
public enum Obstacle {
    /// FS_IOC_GETFLAGS, FS_IOC_SETFLAGS and FS_IMMUTABLE_FL of linux/fs.h.
    private static let getFlags: UInt = 0x8008_6601
    private static let setFlags: UInt = 0x4008_6602
    private static let immutable: Int = 0x10

    /// Whether this works here: root needs a file system that supports immutable files, and the capability to set them.
    public static let isPossible: Bool = {
        let path = NSTemporaryDirectory() + "tt-obstacle-" + UUID().uuidString.prefix(8)
        defer { rmdir(path) }
        guard mkdir(path, 0o700) == 0, close(path) else { return false }
        return open(path)
    }()

    /// Closes a folder; returns false when this is impossible.
    @discardableResult
    public static func close(_ path: String) -> Bool {
        geteuid() == 0 ? change(path) { $0 | immutable } : chmod(path, 0o500) == 0
    }

    /// Opens a folder again.
    @discardableResult
    public static func open(_ path: String) -> Bool {
        geteuid() == 0 ? change(path) { $0 & ~immutable } : chmod(path, 0o700) == 0
    }

    private static func change(_ path: String, _ flags: (Int) -> Int) -> Bool {
        let folder = Glibc.open(path, O_RDONLY)
        guard folder >= 0 else { return false }
        defer { Glibc.close(folder) }
        var value = 0
        guard ioctl(folder, getFlags, &value) == 0 else { return false }
        value = flags(value)
        return ioctl(folder, setFlags, &value) == 0
    }
}
