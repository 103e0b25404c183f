import API
import Files
import Foundation

/// The descriptions of the backups of a folder.
struct BackupDescriptions {
    static let maxBytes = 256 << 20

    /// The readable descriptions, the oldest first.
    let states: [BackupState]
    /// The paths of the descriptions that cannot be read.
    let unreadable: [String]

    /// Reads the descriptions. Blocks.
    ///
    /// - Throws: `Failure` `unsupported_format`; `FileError`.
    init(in root: Directory) throws {
        let folder = try root.folder(BackupLayout.backups)
        var (states, unreadable): ([BackupState], [String]) = ([], [])
        for name in try folder.names() where name.hasSuffix(".json") && !name.hasPrefix(".") {
            let bytes = try folder.file(name).readAll(maxBytes: Self.maxBytes)
            if let state = try? BackupState(json: Data(bytes)) {
                states.append(try state.checked())
            } else {
                unreadable.append("\(BackupLayout.backups)/\(name)")
            }
        }
        (self.states, self.unreadable) = (states.sorted { $0.token < $1.token }, unreadable)
    }
}
