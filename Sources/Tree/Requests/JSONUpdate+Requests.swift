package import TreeModel

extension JSONUpdate {
    /// The largest number of server values in a change with a key, whose record holds their results.
    package static let maxNotedServerValues = 1000

    /// The size of the change, in bytes of its rows.
    package var byteCount: Int { writes.reduce(0) { $0 + $1.byteCount } }

    /// Returns a fingerprint of the change and of some words. Texts that describe the same change, with other spaces or
    /// with members in another order, have the same fingerprint.
    ///
    /// - Parameter path: The path to which the change's paths are relative.
    package func fingerprint(with words: [String], below path: TreePath) throws(TreeError) -> String {
        let length = StoreFormat.dataKey(path).count
        let nothing: [UInt8] = []
        var builder = ETagBuilder()
        builder.add(path: nothing.span, value: Array("\(words.count)".utf8).span)
        for word in words { builder.add(path: nothing.span, value: Array(word.utf8).span) }
        for write in inKeyOrder {
            let relative = write.key.span.extracting(droppingFirst: length)
            builder.add(path: relative, value: Array("\(write.rows.count)".utf8).span)
            try write.rows.forEach { path, leaf throws(TreeError) in
                builder.add(path: path, value: leaf)
                return true
            }
        }
        return builder.finish()
    }

    /// Adds the record of the request that makes the change: if a record with the same key exists at the commit, the
    /// change is refused with the code `precondition_failed`.
    ///
    /// - Parameter id: The id of the node that the request creates; any new one if it creates none.
    /// - Throws: ``TreeError`` with code `too_large` for more than ``maxNotedServerValues`` server values.
    package mutating func note(_ key: RequestKey, making id: PushID) throws(TreeError) {
        let count = try serverValueCount()
        guard count <= Self.maxNotedServerValues else {
            throw TreeError(
                .tooLarge,
                "a request with a key writes \(count) server values; the limit is \(Self.maxNotedServerValues)",
                hint: "Write it in several updates.")
        }
        for (index, (path, text)) in key.writes(making: id).enumerated() {
            var write = try EncodedWrite(path, .string(text), [])
            write.isOfService = true
            write.notesServerValues = index == 0 && count > 0
            writes.append(write)
        }
        conditions.append(key.isNew)
    }

    /// Returns the receipt of the change as an earlier request has made it.
    ///
    /// - Parameters:
    ///   - record: The record of the earlier request.
    ///   - token: A position in the change log after the earlier request.
    package func receipt(of record: RequestRecord, at token: SyncToken) throws(TreeError) -> JSONReceipt {
        var values = record.serverValues[...]
        var made = inKeyOrder
        for index in made.indices where made[index].hasServerValues {
            made[index].rows = try made[index].rows.mapValues { _, leaf throws(TreeError) in
                guard LeafEncoding.isServerValue(leaf) else { return nil }
                guard let value = values.popFirst() else {
                    throw TreeError.corrupt("the record of a request lacks a number")
                }
                return value
            }
        }
        return JSONReceipt(CommitReceipt(token: token, writes: made, change: nil), origin: origin)
    }

    /// The writes in the order in which they are committed.
    private var inKeyOrder: [EncodedWrite] { writes.sorted { $0.key.lexicographicallyPrecedes($1.key) } }

    private func serverValueCount() throws(TreeError) -> Int {
        var count = 0
        for write in writes where write.hasServerValues {
            try write.rows.forEach { _, leaf throws(TreeError) in
                if LeafEncoding.isServerValue(leaf) { count += 1 }
                return true
            }
        }
        return count
    }
}
