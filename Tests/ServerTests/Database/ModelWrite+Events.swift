extension ModelWrite {
    /// Returns the event of the write for a listener at a path, in the format of the stream; nil for none.
    ///
    /// A write causes one event. A write at the listener's path or above sends the whole new value; a multi-path update
    /// below it sends its own paths. A node of which only the priority was written is sent as a whole. Unchanged values
    /// are not sent.
    func event(at place: ModelPath) -> ModelEvent? {
        var nodesOfPriorities: [(path: ModelPath, node: ModelNode)] = []
        for entry in entries.sorted(by: { $0.path.count < $1.path.count }) {
            guard case .priority = entry.value, before[entry.path].priority != after[entry.path].priority,
                !after[entry.path].isNothing, entry.path.starts(with: place),
                !nodesOfPriorities.contains(where: { entry.path.starts(with: $0.path) })
            else { continue }
            nodesOfPriorities.append((entry.path, after[entry.path]))
        }
        let nodes = entries.compactMap { entry -> (path: ModelPath, node: ModelNode)? in
            guard case .node(let node) = entry.value, before[entry.path] != after[entry.path],
                entry.path.starts(with: place) || place.starts(with: entry.path),
                !nodesOfPriorities.contains(where: { entry.path.starts(with: $0.path) })
            else { return nil }
            return (entry.path, node)
        }
        let concerned = (nodesOfPriorities + nodes).sorted { one, other in
            for (key, otherKey) in zip(one.path, other.path) where key != otherKey {
                return key.precedesAsKey(otherKey)
            }
            return one.path.count < other.path.count
        }
        guard let first = concerned.first else { return nil }
        if place.starts(with: first.path) {
            guard before[place] != after[place] else { return nil }
            return ModelEvent(kind: "put", path: [], data: NaiveJSON(plain: after[place]))
        }
        guard let base, first.path != base else {
            let below = ModelPath(first.path.dropFirst(place.count))
            return ModelEvent(kind: "put", path: below, data: NaiveJSON(plain: first.node))
        }
        let top = base.starts(with: place) ? base : place
        let members = concerned.map { entry in
            let key = ModelPath(entry.path.dropFirst(top.count)).relative
            return NaiveJSON.Member(key: ModelText(key), value: NaiveJSON(plain: entry.node))
        }
        return ModelEvent(kind: "patch", path: ModelPath(top.dropFirst(place.count)), data: .object(members))
    }
}

/// An event of a stream.
struct ModelEvent {
    let kind: String
    let path: ModelPath
    let data: NaiveJSON

    init(kind: String, path: ModelPath, data: NaiveJSON) {
        (self.kind, self.path, self.data) = (kind, path, data)
    }

    /// The event in the format of the stream.
    var text: String {
        let path = NaiveJSON.quoted(ModelText("/" + path.relative))
        return "event: \(kind)\ndata: {\"path\":\(path),\"data\":\(data.text)}"
    }

    /// Parses an event as a client does; nil when it is malformed.
    init?(text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count == 2, lines[0].hasPrefix("event: "), lines[1].hasPrefix("data: "),
            let json = NaiveJSON(lines[1].dropFirst(6).utf8),
            case .leaf(.text(let path))? = json["path"], let data = json["data"]
        else { return nil }
        let keys = path.string.unicodeScalars.split(separator: "/").map { ModelText(String($0)) }
        self.init(kind: String(lines[0].dropFirst(7)), path: keys, data: data)
    }

    /// Returns the value that a client with this value has after the event; nil when the event does not fit the value.
    func applied(to node: ModelNode) -> ModelNode? {
        var node = node
        switch (kind, data) {
        case ("put", _):
            guard let value = try? ModelNode(data, depth: 0) else { return nil }
            node.set(path, to: value)
        case ("patch", .object(let members)):
            for member in members {
                let below = member.key.string.unicodeScalars.split(separator: "/").map { ModelText(String($0)) }
                guard let value = try? ModelNode(member.value, depth: 0) else { return nil }
                node.set(path + below, to: value)
            }
        default: return nil
        }
        return node.tidied
    }
}
