import API
import Files

/// The mark of a Storage folder into which a backup is being restored: no process may use it until it is complete.
package enum UnfinishedRestore {
    /// The file that exists until the end of the restoration.
    package static let name = "restoring.json"

    /// - Throws: `Failure` `restore_unfinished`.
    static func refuse(in root: Directory) throws {
        guard try root.entry(name) != nil else { return }
        throw Failure(
            .restoreUnfinished, "\(root.path) is being restored from a backup, and is not complete",
            hint: "Run tintype backup restore again: it continues where it stopped.")
    }
}
