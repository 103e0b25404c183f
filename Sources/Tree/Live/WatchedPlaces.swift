/// What is at the places below those of an update that are listened to, before it is applied: so that those at which
/// nothing changes are not told of it.
struct WatchedPlaces {
    /// Who listens to more than this is told in any case: to hold it beside the write would cost more.
    private static let maxBytes = 1 << 20

    private var places: [(place: [UInt8], write: EncodedWrite, rows: RowBlock)] = []

    init(
        below writes: [EncodedWrite], of hub: LiveHub, in snapshot: any EngineSnapshot
    ) throws(TreeError) {
        for write in writes where !write.isPriority {
            for place in hub.places(strictlyBelow: write.key) {
                guard let rows = try Self.rows(at: place, in: snapshot) else { continue }
                places.append((place, write, rows))
            }
        }
    }

    /// The places at which the update changes nothing.
    func unchanged() throws(TreeError) -> Set<[UInt8]> {
        var unchanged: Set<[UInt8]> = []
        for (place, write, rows) in places where try write.rows.block(below: Array(place[write.key.count...])) == rows {
            unchanged.insert(place)
        }
        return unchanged
    }

    /// The nodes of which an update changed the priority, as they are now: those who listen there or above are told of
    /// them. A node beyond the limit is not told of, for no value has changed.
    static func nodesOfPriorities(
        among writes: [EncodedWrite], of hub: LiveHub, in snapshot: any EngineSnapshot
    ) throws(TreeError) -> [EncodedWrite] {
        var nodes: [EncodedWrite] = []
        for write in writes where write.isPriority {
            let place = Array(write.key.dropLast())
            guard hub.isHeard(at: place), let rows = try rows(at: place, in: snapshot) else { continue }
            nodes.append(EncodedWrite(key: place, rows: rows))
        }
        return nodes
    }

    /// What is at a place; nil when it is too much.
    private static func rows(at place: [UInt8], in snapshot: any EngineSnapshot) throws(TreeError) -> RowBlock? {
        var rows = RowBlock()
        try snapshot.scan(.subtree(place), reverse: false) { key, value throws(TreeError) in
            rows.append(path: key.extracting(droppingFirst: place.count), value: value)
            return rows.bytes.count <= maxBytes
        }
        return rows.bytes.count <= maxBytes ? rows : nil
    }
}

extension RowBlock {
    /// The rows below a path.
    fileprivate func block(below prefix: [UInt8]) throws(TreeError) -> RowBlock {
        var block = RowBlock()
        try forEach { path, value throws(TreeError) in
            if path.starts(with: prefix.span) {
                block.append(path: path.extracting(droppingFirst: prefix.count), value: value)
            }
            return true
        }
        return block
    }
}
