import API
import Files

/// The mark of a Storage folder into which a backup is being restored: nobody may work there before all of it is there.
package enum UnfinishedRestore {
    /// The file that is there until the end.
    package static let name = "restoring.json"

    /// - Throws: `Failure` `restore_unfinished`.
    static func refuse(in root: Directory) throws {
        guard try root.entry(name) != nil else { return }
        throw Failure(
            .restoreUnfinished, "\(root.path) is being restored from a backup, and not all of it is there",
            hint: "run tintype restore again: it goes on where it was")
    }
}
