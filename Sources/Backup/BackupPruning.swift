package import API
import Files
import TreeModel

extension BackupFolder {
    /// Deletes backups, and the files that no other backup needs.
    ///
    /// - Parameter isForgotten: Whether a backup is deleted; the newest never is.
    package func prune(
        _ isForgotten: (BackupDocument, _ age: Int) -> Bool
    ) async throws -> BackupPruneDocument {
        defer { release() }
        // The files of an unreadable backup might be deleted.
        if let path = try await unreadable().first { throw Self.unreadable(path) }
        let states = try await states()
        let gone = states.reversed().enumerated().dropFirst().filter { isForgotten($1.document, $0) }.map(\.element)
        let kept = states.filter { !gone.contains($0) }
        guard !gone.isEmpty else { return BackupPruneDocument() }
        try await FileThreads.run { [root] () throws in
            let folder = try root.folder(BackupLayout.backups)
            // The descriptions first, durably: their files are garbage then, whatever happens in between.
            for state in gone { try folder.remove(BackupLayout.state(state.token)[1]) }
            try folder.sync()
        }
        var known = KnownFiles(kept.map { list($0.blobs) })
        var removed = BackupPruneDocument()
        removed.backups = gone.count
        for user in try folder([BackupLayout.blobs]).names() {
            for id in try folder([BackupLayout.blobs, user]).names() {
                let files = try folder([BackupLayout.blobs, user, id])
                for entry in try files.entries() where try await known.line(of: "\(user)/\(id)/\(entry.name)") == nil {
                    try files.remove(entry.name)
                    removed.files += 1
                    removed.bytes += entry.byteCount
                }
                if try files.names().isEmpty { try folder([BackupLayout.blobs, user]).remove(id) }
            }
        }
        var names = Set(kept.flatMap { $0.tree + $0.blobs + $0.others }.map { "\($0).gz" })
        try remove(from: "pieces", except: names, &removed)
        names = []
        for state in kept {
            var others = list(state.others)
            while let line = try await others.next() { names.insert(line.sha256) }
        }
        try remove(from: "others", except: names, &removed)
        return removed
    }

    private func folder(_ names: [String]) throws(FileError) -> Directory { try root.folder(below: names) }

    private func remove(
        from name: String, except names: Set<String>, _ removed: inout BackupPruneDocument
    ) throws {
        guard try root.entry(name) != nil else { return }
        for part in try folder([name]).names() {
            let files = try folder([name, part])
            for entry in try files.entries() where !names.contains(entry.name) {
                try files.remove(entry.name)
                removed.files += 1
                removed.bytes += entry.byteCount
            }
        }
    }
}

extension BackupState {
    package var document: BackupDocument {
        BackupDocument(
            token: Int64(clamping: token), madeAt: madeAt.milliseconds, version: version, files: files, bytes: bytes)
    }
}
