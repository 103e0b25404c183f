import Glibc

/// The reason why a file operation was refused or failed.
public struct FileError: Error, Sendable, CustomStringConvertible {
    /// A stable, machine-readable reason.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The reason as it is printed: lower case with underscores.
        public let rawValue: String

        /// Creates a code from its printed form.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The name would lead out of the store, or is one that the store never writes.
        public static let badName = Code(rawValue: "bad_name")
        /// The file or folder does not exist.
        public static let notFound = Code(rawValue: "not_found")
        /// The name is taken: blobs are never overwritten.
        public static let exists = Code(rawValue: "exists")
        /// The name is that of a symbolic link, a FIFO, a socket, a device or a folder where a file is needed, or the
        /// reverse.
        public static let wrongKind = Code(rawValue: "wrong_kind")
        /// The disk or the quota is full.
        public static let diskFull = Code(rawValue: "disk_full")
        /// The operating system refuses access.
        public static let permission = Code(rawValue: "permission")
        /// The file system is mounted read-only.
        public static let readOnly = Code(rawValue: "read_only")
        /// The process, or the system, has reached its limit of open files.
        public static let tooManyFiles = Code(rawValue: "too_many_open_files")
        /// Another process has locked the Storage folder.
        public static let locked = Code(rawValue: "storage_locked")
        /// The two names are on different file systems.
        public static let crossDevice = Code(rawValue: "cross_device")
        /// Folders are nested more deeply than is supported.
        public static let tooDeep = Code(rawValue: "too_deep")
        /// A folder of the Storage folder was deleted or moved away while the service ran.
        public static let folderVanished = Code(rawValue: "folder_vanished")
        /// A file lacks bytes that were durable.
        public static let bytesLost = Code(rawValue: "bytes_lost")
        /// Another error of the operating system.
        public static let io = Code(rawValue: "io")
    }

    /// The machine-readable reason.
    public let code: Code
    /// The operation, the path, and the system's reason, for people.
    public let message: String
    /// A remedy, for people; empty if there is none.
    public let hint: String

    /// Creates an error from its parts.
    public init(_ code: Code, _ message: String, hint: String = "") {
        self.code = code
        self.message = message
        self.hint = hint
    }

    /// Creates an error from the `errno` of a system call.
    ///
    /// - Parameter action: The operation and its path, such as `open NAME`, with which the message begins.
    public init(errno number: Int32, doing action: String) {
        let reason = String(cString: strerror(number))
        let (code, hint): (Code, String) =
            switch number {
            case ENOENT: (.notFound, "")
            case EEXIST, ENOTEMPTY: (.exists, "")
            case ELOOP, ENOTDIR, EISDIR, ENXIO: (.wrongKind, "Use only regular files and real folders.")
            case EXDEV: (.crossDevice, "")
            case ENOSPC, EDQUOT: (.diskFull, "Free some space on its disk.")
            case EROFS: (.readOnly, "Look at the kernel's log, then mount the file system for writing again.")
            case EMFILE, ENFILE: (.tooManyFiles, "Raise the limit on open files (ulimit -n, LimitNOFILE=).")
            case EACCES, EPERM: (.permission, "Give the service's user access: rw to files, rwx to folders.")
            case ENAMETOOLONG, EILSEQ, EINVAL: (.badName, "Use a shorter, plainer name.")
            default: (.io, "Look at the kernel's log for this disk.")
            }
        self.init(code, "\(action): \(reason)", hint: hint)
    }

    /// The error when a file cannot be created because its folder was deleted.
    static func vanished(_ folder: String) -> FileError {
        FileError(.folderVanished, "\(folder) was removed or moved away", hint: "Put it back.")
    }

    /// The error when nothing can be written because the file system is mounted read-only.
    public static func mountedReadOnly(_ folder: String) -> FileError {
        FileError(errno: EROFS, doing: "write to \(folder)")
    }

    /// Whether the same operation may succeed later without a change of the request.
    public var isTransient: Bool {
        [.diskFull, .permission, .readOnly, .tooManyFiles, .folderVanished, .io].contains(code)
    }

    /// The message, followed by the hint as a sentence of its own if there is one.
    public var description: String {
        hint.isEmpty ? message : "\(message). \(hint)"
    }
}
