import API
import Files
import Foundation

/// The access of this process to the target of a backup, for errors that say who lacks which permission.
struct TargetAccess {
    /// The folders that the unit of the service hides (`ProtectHome`).
    private static let homes = ["/home", "/root", "/run/user"]

    /// The folder of backups, or that of the archive.
    let folder: String
    /// The user that the process runs as.
    var user = ProcessInfo.processInfo.userName
    /// Whether the process is the main process of a systemd unit, which may restrict where it writes.
    var isUnit: Bool = Self.isUnit(ProcessInfo.processInfo.environment, ProcessInfo.processInfo.processIdentifier)

    /// Whether a process with this environment was started by systemd. Its children inherit the environment; versions
    /// of systemd from 248 on tell them apart by `SYSTEMD_EXEC_PID`.
    static func isUnit(_ environment: [String: String], _ process: Int32) -> Bool {
        environment["INVOCATION_ID"] != nil && environment["SYSTEMD_EXEC_PID"].map { $0 == "\(process)" } ?? true
    }

    /// Opens a target for writing.
    ///
    /// - Throws: A `Failure` that names the user and the folder instead of a `FileError` about permissions; the other
    ///   errors of `body`.
    func explaining<Target>(_ body: () throws -> Target) throws -> Target {
        do {
            return try body()
        } catch let error as FileError where [.permission, .readOnly, .notFound].contains(error.code) {
            throw failure(error)
        }
    }

    /// Returns the failure that explains why the target cannot be opened.
    func failure(_ error: FileError) -> Failure {
        guard error.code != .notFound else {
            return Failure(.notFound, error.message, hint: "Create the folder above it first.")
        }
        let message = "\(user) cannot write to \(folder) (\(error.message))"
        let isReadOnly = error.code == .readOnly
        return Failure(isReadOnly ? .readOnly : .permission, message, hint: isReadOnly ? readOnlyHint : permissionHint)
    }

    /// Opens backups for reading.
    ///
    /// - Throws: A `Failure` that names the user and the owner instead of a `FileError` about permissions; the other
    ///   errors of `body`.
    func explainingReads<Source>(_ body: () throws -> Source) throws -> Source {
        do {
            return try body()
        } catch let error as FileError where error.code == .permission {
            throw unreadable(error)
        }
    }

    /// Returns the failure that explains why backups cannot be read. They contain secrets: the members of the service's
    /// group, who may do everything else, may not read them.
    private func unreadable(_ error: FileError) -> Failure {
        let owner = (try? FileManager.default.attributesOfItem(atPath: folder))?[.ownerAccountName] as? String
        let hint =
            if let owner, owner != user {
                "Backups contain secrets. Run this as their owner, with sudo -u '\(owner)', or as root."
            } else {
                "Backups contain secrets. Run this as their owner, or as root."
            }
        return Failure(.permission, "\(user) cannot read \(folder) (\(error.message))", hint: hint)
    }

    private var permissionHint: String {
        let grant = "Create a folder that \(user) may write to, or choose another one."
        guard isUnit else { return grant }
        guard !isInHome else {
            return "Choose a folder outside of /home, /root and /run/user, which the systemd unit hides (ProtectHome)."
        }
        return "\(grant) A systemd unit with ProtectSystem also needs the line \(line)."
    }

    private var readOnlyHint: String {
        guard isUnit else {
            return "Mount the file system for writing. If systemd runs the service, its unit needs the line \(line)."
        }
        return "Create the folder for \(user), and add the line \(line) to the section [Service] of the systemd unit "
            + "(sudo systemctl edit tintype), then restart the service."
    }

    private var line: String { "ReadWritePaths=\(folder)" }

    private var isInHome: Bool { Self.homes.contains { folder == $0 || folder.hasPrefix("\($0)/") } }
}
