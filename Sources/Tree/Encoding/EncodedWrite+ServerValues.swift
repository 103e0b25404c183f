extension [EncodedWrite] {
    /// Returns the writes with server values resolved, based on the state before the update.
    ///
    /// - Parameter isStaged: Whether the rows have been staged; the resolved rows are then also collected in
    ///   `filledIn`.
    /// - Throws: ``TreeError`` with code `invalid_value`.
    func resolved(
        in snapshot: any EngineSnapshot, timestamp: Timestamp, token: SyncToken, isStaged: Bool
    ) throws(TreeError) -> [EncodedWrite] {
        guard contains(where: \.hasServerValues) else { return self }
        var resolved = self
        var noted: [[UInt8]] = []
        let isNoted = contains(where: \.notesServerValues)
        for index in resolved.indices where resolved[index].hasServerValues {
            let key = resolved[index].key
            var filledIn = RowBlock()
            resolved[index].rows = try resolved[index].rows.mapValues { path, leaf throws(TreeError) in
                guard LeafEncoding.isServerValue(leaf) else { return nil }
                let row = key + path.copied
                let old = try snapshot.value(for: row)
                let new: [UInt8]
                do throws(TreeError) {
                    new = try LeafEncoding.resolve(
                        leaf, old: old, timestamp: timestamp, token: token)
                } catch {
                    let bytes = old ?? []
                    throw error.met(inRow: row.span, bytes.span)
                }
                if isNoted { noted.append(new) }
                if isStaged { filledIn.append(path: path, value: new.span) }
                return new
            }
            resolved[index].filledIn = filledIn
            resolved[index].hasServerValues = false
        }
        for index in resolved.indices where resolved[index].notesServerValues {
            let text = try RequestRecord.text(ofServerValues: noted)
            resolved[index].rows = try resolved[index].rows.mapValues { _, leaf in leaf.copied + text.utf8 }
            resolved[index].notesServerValues = false
        }
        return resolved
    }
}
