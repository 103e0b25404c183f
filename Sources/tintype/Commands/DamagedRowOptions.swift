import API
import ArgumentParser
import Backup
import Keeping
import Service
import Store
import Tree
import Uploads

/// A row of the database that cannot be read, and its replacement.
struct DamagedRowOptions: ParsableArguments {
    @Option(parsing: .unconditional, help: ArgumentHelp("Drop or replace the row at this path.", valueName: "path"))
    var row: String?

    @Option(
        name: [.customLong("ns"), .customLong("namespace")],
        help: ArgumentHelp("The name of the row's tree (default: the service's own).", valueName: "name"))
    var ns: String?

    @Flag(help: "Drop the row.")
    var drop = false

    @Option(parsing: .unconditional, help: ArgumentHelp("Replace the row by this value.", valueName: "json"))
    var value: String?

    @Option(
        help: ArgumentHelp(
            "Replace the row by its value in the newest backup of this folder or file.", valueName: "backup"))
    var fromBackup: String?

    func validate() throws {
        let count = [drop, value != nil, fromBackup != nil].count { $0 }
        guard row != nil || count == 0 && ns == nil else {
            throw ValidationError("--drop, --value, --from-backup and --ns need --row")
        }
        guard row == nil || count == 1 else {
            throw ValidationError("--row needs one of --drop, --value and --from-backup")
        }
    }

    /// Replaces the row. No service may work on the store meanwhile.
    ///
    /// - Throws: `FileError` `storage_locked` while a service does; the errors of ``RowRepair``.
    func replace(in options: StorageOptions, isJSON: Bool) async throws {
        let path = try treePath()
        try await options.configuration().withPipeline { pipeline in
            let repair = try await RowRepair(at: path, in: pipeline.storage)
            let json = try await replacement(at: path, repair, pipeline.storage)
            let document = try await repair.run(json: json)
            if isJSON { return Terminal.outputJSON(document) }
            let outcome = drop ? "dropped" : "replaced"
            Terminal.output("\(outcome)  \(document.path)  (the old row: \(document.file))".printable)
            Terminal.note(
                "data derived from it may be wrong: tintype store check reports it, tintype store repair corrects it")
        }
    }

    private func treePath() throws -> TreePath {
        guard let ns else { return try TreePath(row ?? "") }
        // The service's own trees are allowed too; their names begin with a dot.
        let tree = ns.hasPrefix(".") ? Namespace(unchecked: ns) : try Namespace(ns)
        return try TreePath(row ?? "", in: tree)
    }

    private func replacement(at path: TreePath, _ repair: RowRepair, _ storage: StorageFolder) async throws -> [UInt8] {
        if let value { return Array(value.utf8) }
        guard let fromBackup else { return Array("null".utf8) }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        return try await BackedUpValue(in: Restore.source(fromBackup), of: storage.age.storeID)
            .json(at: path, isPriority: repair.isPriority, workingIn: folder.path)
    }
}
