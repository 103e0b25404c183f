/// A query of the model: everything is read, compared and sorted.
struct ModelQuery {
    enum Order: Equatable {
        case key, value, priority
        case child(ModelPath)
    }

    struct Bound {
        let value: ModelLeaf?
        let key: ModelText?
        let isInclusive: Bool
    }

    let order: Order
    var lower: Bound?
    var upper: Bound?
    var first: Int?
    var last: Int?
    var isDescending = false

    /// Returns the node with only the children that the query selects, and these in its order.
    func take(from node: ModelNode) -> (node: ModelNode, keys: [ModelText]) {
        if node.leaf != nil {
            let isFilter = lower != nil || upper != nil || first != nil || last != nil
            return (isFilter ? .nothing : ModelNode(leaf: node.leaf, priority: node.priority), [])
        }
        var taken = node.children.filter { isInRange($0.key, $0.value) }.sorted { left, right in
            let order = compare(rank(of: left.value), rank(of: right.value))
            return order == 0 ? left.key.precedesAsKey(right.key) : order < 0
        }
        if let first { taken = Array(taken.prefix(first)) }
        if let last { taken = Array(taken.suffix(last)) }
        if isDescending { taken.reverse() }
        return (
            ModelNode(children: Dictionary(uniqueKeysWithValues: taken.map { ($0.key, $0.value) })), taken.map(\.key)
        )
    }

    /// The sort key of a child, before its own key: null < false < true < numbers < strings < objects.
    private enum Rank {
        case null, no, yes
        case number(Double)
        case text(ModelText)
        case object

        var kind: Int {
            switch self {
            case .null: 0
            case .no: 1
            case .yes: 2
            case .number: 3
            case .text: 4
            case .object: 5
            }
        }

        init(_ leaf: ModelLeaf?) {
            switch leaf {
            case nil: self = .null
            case .bool(let bool): self = bool ? .yes : .no
            case .text(let text): self = .text(text)
            case let leaf?: self = .number(leaf.number ?? 0)
            }
        }
    }

    private func rank(of child: ModelNode) -> Rank {
        switch order {
        case .key: .null
        case .priority: Rank(child.priority)
        case .value: child.children.isEmpty ? Rank(child.leaf) : .object
        case .child(let path): child[path].children.isEmpty ? Rank(child[path].leaf) : .object
        }
    }

    private func compare(_ left: Rank, _ right: Rank) -> Int {
        switch (left, right) {
        case (.number(let a), .number(let b)): a == b ? 0 : a < b ? -1 : 1
        case (.text(let a), .text(let b)): a == b ? 0 : a.precedes(b) ? -1 : 1
        default: left.kind - right.kind
        }
    }

    private func isInRange(_ key: ModelText, _ child: ModelNode) -> Bool {
        if let lower {
            let order = compare(key, child, with: lower)
            guard order > 0 || order == 0 && lower.isInclusive else { return false }
        }
        if let upper {
            let order = compare(key, child, with: upper)
            guard order < 0 || order == 0 && upper.isInclusive else { return false }
        }
        return true
    }

    private func compare(_ key: ModelText, _ child: ModelNode, with bound: Bound) -> Int {
        func compareKeys(_ other: ModelText) -> Int { key == other ? 0 : key.precedesAsKey(other) ? -1 : 1 }
        if order == .key, case .text(let name)? = bound.value { return compareKeys(name) }
        let order = compare(rank(of: child), Rank(bound.value))
        guard order == 0, let other = bound.key else { return order }
        return compareKeys(other)
    }
}

// MARK: - Query items

extension ModelQuery {
    static let filters: Set<String> = [
        "orderBy", "startAt", "startAfter", "endAt", "endBefore", "equalTo", "limitToFirst", "limitToLast",
    ]

    /// Reads the query of a request; nil for none.
    init?(_ parameters: [String: String]) throws(ModelRefusal) {
        guard !Self.filters.isDisjoint(with: parameters.keys) else { return nil }
        guard let orderBy = parameters["orderBy"] else {
            throw ModelRefusal("orderBy must be defined when other query parameters are defined")
        }
        order = try Self.order(orderBy)
        first = try Self.limit("limitToFirst", parameters)
        last = try Self.limit("limitToLast", parameters)
        guard first == nil || last == nil else {
            throw ModelRefusal("limitToFirst and limitToLast cannot both be specified")
        }
        lower = try bound("startAt", "startAfter", parameters)
        upper = try bound("endAt", "endBefore", parameters)
        isDescending = parameters["descending"] == "true"
        guard let equalTo = parameters["equalTo"] else { return }
        guard lower == nil, upper == nil else {
            throw ModelRefusal("equalTo cannot be specified in addition to startAfter, startAt, endAt, or endBefore")
        }
        lower = try bound(equalTo, isInclusive: true)
        upper = lower
    }

    private static func order(_ text: String) throws(ModelRefusal) -> Order {
        guard case .leaf(.text(let name))? = NaiveJSON(text.utf8) else {
            throw ModelRefusal("orderBy must be a valid JSON encoded path")
        }
        switch name.string {
        case "$key": return .key
        case "$value": return .value
        case "$priority": return .priority
        case let path:
            let keys = path.unicodeScalars.split(separator: "/").map { ModelText(String($0)) }
            guard !keys.isEmpty, keys.allSatisfy(\.isKey) else {
                throw ModelRefusal("orderBy must be a valid JSON encoded path")
            }
            return .child(keys)
        }
    }

    private static func limit(_ name: String, _ parameters: [String: String]) throws(ModelRefusal) -> Int? {
        guard let text = parameters[name] else { return nil }
        guard let limit = Int(text), limit > 0 else { throw ModelRefusal("\(name) must be a positive integer") }
        return limit
    }

    private func bound(
        _ inclusive: String, _ exclusive: String, _ parameters: [String: String]
    ) throws(ModelRefusal) -> Bound? {
        switch (parameters[inclusive], parameters[exclusive]) {
        case (nil, nil): return nil
        case (let text?, nil): return try bound(text, isInclusive: true)
        case (nil, let text?): return try bound(text, isInclusive: false)
        default: throw ModelRefusal("\(inclusive) and \(exclusive) cannot both be specified")
        }
    }

    /// Reads a JSON scalar, or one and a key with a comma between.
    private func bound(_ text: String, isInclusive: Bool) throws(ModelRefusal) -> Bound {
        let primitive = ModelRefusal("Constraint index field must be a JSON primitive")
        guard case .array(let parts)? = NaiveJSON("[\(text)]".utf8), (1...2).contains(parts.count) else {
            throw primitive
        }
        var key: ModelText?
        if parts.count == 2 {
            guard case .leaf(.text(let name)) = parts[1] else { throw primitive }
            key = name
        }
        let value: ModelLeaf?
        switch parts[0] {
        case .null: value = nil
        case .leaf(let leaf): value = leaf
        default: throw primitive
        }
        if order == .key {
            guard case .text? = value, key == nil else {
                throw ModelRefusal("Provided key index type is invalid, must be string")
            }
        }
        return Bound(value: value, key: key, isInclusive: isInclusive)
    }
}

// MARK: - Indexes

/// The rules of the model: the indexes of each path.
struct ModelRules {
    var document = NaiveJSON.null

    /// - Throws: When the query needs an index that the rules do not define at the path.
    func check(_ query: ModelQuery, at path: ModelPath) throws(ModelRefusal) {
        let name: String
        switch query.order {
        case .key, .priority: return
        case .value: name = ".value"
        case .child(let path): name = path.relative
        }
        var node = document["rules"]
        for key in path { node = node[key.string] ?? node.wildcard }
        let indexes: [NaiveJSON] =
            switch node?[".indexOn"] {
            case .array(let names)?: names
            case let name?: [name]
            case nil: []
            }
        guard indexes.contains(.string(name)) else {
            let wanted = NaiveJSON.quoted(ModelText(name))
            throw ModelRefusal(
                "Index not defined, add \".indexOn\": \(wanted), for path \"\(path.slashed)\", to the rules")
        }
    }
}

extension NaiveJSON? {
    fileprivate subscript(key: String) -> NaiveJSON? { self?[key] }
    fileprivate var wildcard: NaiveJSON? {
        guard case .object(let members)? = self else { return nil }
        return members.first { $0.key.string.hasPrefix("$") }?.value
    }
}

extension NaiveJSON {
    subscript(key: String) -> NaiveJSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == ModelText(key) }?.value
    }
}
