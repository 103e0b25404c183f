import TintypeClient
import TintypeModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A part of the tree that the device keeps: a node, or the children of it that a query selects.
struct TreeWindow: Hashable, Sendable {
    let keys: [String]
    let query: TreeQuery?
    let subject: Subject

    /// - Throws: `TreeInputError` for a path or a query that the service would refuse.
    init(_ reference: TreeReference, query: TreeQuery? = nil) throws {
        (keys, self.query) = (try reference.keys(), query)
        subject = .tree(keys, query: try query?.text() ?? "")
    }

    /// The path, with slashes between its keys.
    var path: String { keys.joined(separator: "/") }

    /// The subjects by which a write of the tree is one on this part.
    var subjects: [Subject] { [subject, .below(keys)] + (0...keys.count).map { .node(keys.prefix($0)) } }
}

/// A part of the tree as the service knows it.
struct StoredTree: Codable, Hashable, Sendable {
    /// The keys of the path of the node.
    let keys: [String]
    /// The node, as the tree has it.
    var node: JSONValue
}

extension StoredTree {
    /// Lays a value at a path of the whole tree over the node, if one of the two contains the other.
    ///
    /// - Returns: Whether it does, and the child that it concerns; nil for the node itself.
    @discardableResult
    mutating func apply(
        _ value: JSONValue, at path: [String], _ queued: QueuedWrite
    ) -> (isApplied: Bool, child: String?) {
        if path.starts(with: keys) {
            let rest = path.dropFirst(keys.count)
            let present = rest.reduce(node as JSONValue?) { $0?[$1] }
            node.setNode(value.resolved(at: queued.date, over: present).node, at: rest)
            return (true, rest.first)
        }
        guard keys.starts(with: path) else { return (false, nil) }
        let value = value.resolved(at: queued.date, over: nil).node
        node = keys.dropFirst(path.count).reduce(value) { $0[$1] ?? .null }
        return (true, nil)
    }
}

extension TreeWrite {
    /// The keys of the path.
    var keys: [String] { path.split(separator: "/").map(String.init) }

    /// The values by the keys of their paths.
    var changes: [(path: [String], value: JSONValue)] {
        let base = keys
        return values.map { (base + $0.key.split(separator: "/").map(String.init), $0.value) }
            .sorted { $0.path.lexicographicallyPrecedes($1.path) }
    }

    /// Whether the result depends on the present value: it must not be laid over a value that includes the write.
    var isRelative: Bool { values.values.contains(where: \.isRelative) }
}

extension JSONValue {
    /// Returns the value with those in place of which the service puts its own: its time, and sums.
    fileprivate func resolved(at date: Date, over present: JSONValue?) -> JSONValue {
        switch self {
        case .array(let elements):
            return .array(elements.enumerated().map { $1.resolved(at: date, over: present?[String($0)]) })
        case .object(var members):
            if let value = members[".sv"] { return value.serverValue(at: date, over: present) }
            if let value = members[".value"] { return value.resolved(at: date, over: present) }
            members[".priority"] = nil
            return .object(
                Dictionary(
                    uniqueKeysWithValues: members.map { ($0, $1.resolved(at: date, over: present?[$0])) }))
        case .null, .bool, .integer, .double, .string: return self
        }
    }

    private func serverValue(at date: Date, over present: JSONValue?) -> JSONValue {
        guard let step = self["increment"] else {
            return self == "timestamp"
                ? .integer(Int64((date.timeIntervalSince1970 * 1000).rounded())) : present ?? .null
        }
        if let step = step.integer, case (let sum, false) = step.addingReportingOverflow(present?.integer ?? 0),
            present?.integer != nil || present?.double == nil
        {
            return .integer(sum)
        }
        return .double((step.double ?? 0) + (present?.double ?? 0))
    }

    fileprivate var isRelative: Bool {
        switch self {
        case .array(let elements): elements.contains(where: \.isRelative)
        case .object(let members): members[".sv"]?["increment"] != nil || members.values.contains(where: \.isRelative)
        case .null, .bool, .integer, .double, .string: false
        }
    }
}
