import TreeModel

/// A difference between two rules documents.
package struct RulesChange: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable { case added, removed, changed }

    package let kind: Kind
    /// The path of the node in the document, such as `/posts/$post`.
    package let path: String
    /// The member that differs, such as `.write` or `.indexOn`.
    package let member: String
}

extension RulesDocument {
    /// Returns the differences from an earlier document: rules, indexes and times to live, by their paths.
    ///
    /// Layout and comments make no difference.
    package func changes(since earlier: RulesDocument) -> [RulesChange] {
        let (old, new) = (earlier.members, members)
        return Set(old.keys).union(new.keys).sorted().compactMap { location in
            let kind: RulesChange.Kind
            switch (old[location], new[location]) {
            case (nil, _?): kind = .added
            case (_?, nil): kind = .removed
            case (let one, let other) where one != other: kind = .changed
            default: return nil
            }
            return RulesChange(kind: kind, path: location.path, member: location.member)
        }
    }

    /// The numbers of rules, indexes and times to live.
    package var counts: (rules: Int, indexes: Int, timesToLive: Int) {
        var counts = (rules: 0, indexes: 0, timesToLive: 0)
        var nodes = [root]
        while let node = nodes.popLast() {
            counts.rules += node.rules.count
            counts.indexes += node.indexes.count
            counts.timesToLive += node.timeToLiveMilliseconds == nil ? 0 : 1
            nodes += node.below
        }
        return counts
    }

    /// The location of a member in a document.
    private struct Location: Hashable, Comparable {
        let path: String
        let member: String

        static func < (one: Location, other: Location) -> Bool { (one.path, one.member) < (other.path, other.member) }
    }

    /// The members of a document, in a form that is equal for equal members.
    private var members: [Location: String] {
        var members: [Location: String] = [:]
        var nodes = [(node: root, path: "")]
        while let (node, path) = nodes.popLast() {
            let location = path.isEmpty ? "/" : path
            for rule in node.rules { members[Location(path: location, member: rule.kind.rawValue)] = rule.text }
            if !node.indexes.isEmpty {
                let names = node.indexes.map(\.words).sorted()
                members[Location(path: location, member: ".indexOn")] = names.joined(separator: "\n")
            }
            if let time = node.timeToLiveMilliseconds { members[Location(path: location, member: ".ttl")] = "\(time)" }
            nodes += node.below.map { ($0, "\(path)/\($0.name)") }
        }
        return members
    }
}

extension RulesNode {
    fileprivate var rules: [Rule] { [read, write, validate].compactMap(\.self) }

    fileprivate var below: [RulesNode] { Array(children.values) + [wildcard].compactMap(\.self) }
}

extension RulesIndex {
    fileprivate var words: String {
        switch self {
        case .value: ".value"
        case .children(let paths): paths.map { "\($0)" }.joined(separator: ", ")
        }
    }
}
