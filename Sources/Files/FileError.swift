import Glibc

/// The reason for which a file operation was refused or failed.
public struct FileError: Error, Sendable, CustomStringConvertible {
    /// A stable, machine-readable reason.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The reason as it is printed: lower case with underscores.
        public let rawValue: String

        /// Makes a code from its printed form.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A name that would leave the store, or that the store never writes.
        public static let badName = Code(rawValue: "bad_name")
        /// There is no such file or folder.
        public static let notFound = Code(rawValue: "not_found")
        /// The name is taken: blobs are never overwritten.
        public static let exists = Code(rawValue: "exists")
        /// The name is a symbolic link, a FIFO, a socket, a device or a folder where a file was wanted, or the reverse.
        public static let wrongKind = Code(rawValue: "wrong_kind")
        /// The disk or the quota is full.
        public static let diskFull = Code(rawValue: "disk_full")
        /// The operating system refuses access.
        public static let permission = Code(rawValue: "permission")
        /// The file system is mounted read-only.
        public static let readOnly = Code(rawValue: "read_only")
        /// The process, or the system, has as many files open as it may.
        public static let tooManyFiles = Code(rawValue: "too_many_open_files")
        /// Another process holds Storage.
        public static let locked = Code(rawValue: "storage_locked")
        /// The two names are on different file systems.
        public static let crossDevice = Code(rawValue: "cross_device")
        /// Folders lie in each other deeper than is worked through.
        public static let tooDeep = Code(rawValue: "too_deep")
        /// A folder of Storage was deleted or moved away while the service ran.
        public static let folderVanished = Code(rawValue: "folder_vanished")
        /// Bytes of a file are missing that were durable.
        public static let bytesLost = Code(rawValue: "bytes_lost")
        /// Anything else that the operating system reports.
        public static let io = Code(rawValue: "io")
    }

    /// The machine-readable reason.
    public let code: Code
    /// The operation that was attempted, the name, and the system's answer: for a person.
    public let message: String
    /// A remedy: for a person.
    public let hint: String

    /// Makes an error from its parts.
    public init(_ code: Code, _ message: String, hint: String = "") {
        self.code = code
        self.message = message
        self.hint = hint
    }

    /// Makes an error from what a system call left in `errno`.
    public init(errno number: Int32, doing action: String) {
        let reason = String(cString: strerror(number))
        let (code, hint): (Code, String) =
            switch number {
            case ENOENT: (.notFound, "")
            case EEXIST, ENOTEMPTY: (.exists, "")
            case ELOOP, ENOTDIR, EISDIR, ENXIO: (.wrongKind, "only regular files and real folders are taken")
            case EXDEV: (.crossDevice, "")
            case ENOSPC, EDQUOT: (.diskFull, "free some space on its disk")
            case EROFS: (.readOnly, "look at the kernel's log, then mount the file system for writing again")
            case EMFILE, ENFILE: (.tooManyFiles, "raise the limit on open files (ulimit -n, LimitNOFILE=)")
            case EACCES, EPERM: (.permission, "give the service's user access: rw to files, rwx to folders")
            case ENAMETOOLONG, EILSEQ, EINVAL: (.badName, "use a shorter, plainer name")
            default: (.io, "look at the kernel's log for this disk")
            }
        self.init(code, "\(action): \(reason)", hint: hint)
    }

    /// Nothing can be made in a folder, because that is deleted itself.
    static func vanished(_ folder: String) -> FileError {
        FileError(.folderVanished, "\(folder) was removed or moved away", hint: "put it back")
    }

    /// Nothing can be written, because the file system is mounted read-only.
    public static func mountedReadOnly(_ folder: String) -> FileError {
        FileError(errno: EROFS, doing: "look at \(folder)")
    }

    /// Whether the same operation may succeed later without anybody changing the request.
    public var isTransient: Bool {
        [.diskFull, .permission, .readOnly, .tooManyFiles, .folderVanished, .io].contains(code)
    }

    /// The message and, in brackets, the hint.
    public var description: String {
        hint.isEmpty ? message : "\(message) (\(hint))"
    }
}
