/// What one committed update changed at a place, as clients of a Realtime Database are told it.
public struct LiveEvent: Sendable {
    /// How the change is told.
    public enum Kind: String, Sendable {
        /// What is at the path has been replaced.
        case put
        /// Several places below the path have been.
        case patch
    }

    /// The position in the change log just after the update.
    public let token: SyncToken
    /// Whether it is told as a replacement or as several.
    public let kind: Kind
    /// `{"path": …, "data": …}`, the path relative to the place that is listened to; one line.
    public let json: [UInt8]

    /// What is at a place when listening begins.
    init(initial value: [UInt8], token: SyncToken) {
        self.init(.put, path: [], data: value, token: token)
    }

    init(_ kind: Kind, path: [UInt8], data: [UInt8], token: SyncToken) {
        var json: [UInt8] = []
        json.reserveCapacity(path.count + data.count + 32)
        json.append(contentsOf: "{\"path\":".utf8)
        JSONText.append(([UInt8(ascii: "/")] + path).span, to: &json)
        json.append(contentsOf: ",\"data\":".utf8)
        json.append(contentsOf: data)
        json.append(UInt8(ascii: "}"))
        self.token = token
        self.kind = kind
        self.json = json
    }

    /// Tells a change as it is seen from a place.
    ///
    /// One update is one event, so that no listener sees half of it. A write at the place or above it is the only one
    /// that concerns the place, because no path of an update lies above another. Priorities are not part of the values
    /// that are told: where one is all that was written of a node, the node is told as it is.
    ///
    /// - Returns: Nil when the change does not concern the place.
    init?(_ change: EncodedChange, seenFrom place: [UInt8]) throws(TreeError) {
        let writes = change.writes(seenFrom: place)
        guard let first = writes.first else { return nil }
        if first.key.count <= place.count {
            let value = try first.rows.json(below: Array(place[first.key.count...]))
            self.init(.put, path: [], data: value, token: change.token)
        } else if case .patch(let base) = change.origin, first.key != base {
            let base = base.count > place.count && base.span.starts(with: place.span) ? base : place
            let path = try PathEncoding.text(of: base.span, below: place.count)
            let members = try JSONUpdate.members(of: writes, below: base)
            self.init(.patch, path: path, data: members, token: change.token)
        } else {
            let path = try PathEncoding.text(of: first.key.span, below: place.count)
            let value = try first.rows.json()
            self.init(.put, path: path, data: value, token: change.token)
        }
    }
}

extension EncodedChange {
    /// What is to be told of a place, ordered by key.
    fileprivate func writes(seenFrom place: [UInt8]) -> [EncodedWrite] {
        let writes = writes.filter { write in
            !write.isPriority && (write.key.span.starts(with: place.span) || place.span.starts(with: write.key.span))
        }
        guard !nodesOfPriorities.isEmpty else { return writes }
        let nodes = nodesOfPriorities.filter { $0.key.span.starts(with: place.span) }
        var told: [EncodedWrite] = []
        // What was written below such a node is part of it, and comes just behind it.
        for write in (nodes + writes).sorted(by: { $0.key.lexicographicallyPrecedes($1.key) })
        where told.last.map({ write.key.span.starts(with: $0.key.span) }) != true {
            told.append(write)
        }
        return told
    }
}
