/// A number, string or truth value of the model, or a server value, which the server replaces.
enum ModelLeaf: Hashable, Sendable {
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    case text(ModelText)
    /// The time of the commit, which the model reads from the answer.
    case now
    /// The sum of the previous number and an integer or a double.
    indirect case increment(ModelLeaf)

    /// Creates a number as the tree stores it: whole ones of 64 bits are integers.
    init(_ double: Double) { self = Int64(exactly: double).map(ModelLeaf.integer) ?? .double(double) }

    var number: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .double(let double): double
        default: nil
        }
    }

    /// Returns the leaf with server values replaced, given the previous leaf.
    func resolved(over old: ModelLeaf?) throws(ModelRefusal) -> ModelLeaf {
        guard case .increment(let difference) = self else { return self }
        guard let old, let base = old.number else { return difference }
        if case (.integer(let a), .integer(let b)) = (difference, old) {
            let (sum, isBeyond) = a.addingReportingOverflow(b)
            if !isBeyond { return .integer(sum) }
        }
        let sum = (difference.number ?? 0) + base
        guard sum.isFinite else { throw ModelRefusal("the sum is beyond the largest number") }
        return ModelLeaf(sum)
    }
}

/// A node of the model: nothing, a leaf, or children by key.
struct ModelNode: Equatable, Sendable {
    var leaf: ModelLeaf?
    var children: [ModelText: ModelNode] = [:]
    var priority: ModelLeaf?

    static let nothing = ModelNode()

    var isNothing: Bool { leaf == nil && children.isEmpty }

    subscript(path: some Collection<ModelText>) -> ModelNode {
        path.reduce(self) { node, key in node.children[key] ?? .nothing }
    }

    /// Puts a node at a path; below a leaf an object is only created by a new node that is not nothing. Nothing is
    /// tidied up.
    mutating func set(_ path: some Collection<ModelText>, to new: ModelNode) {
        guard let key = path.first else { return self = new }
        if leaf != nil {
            guard !new.isNothing else { return }
            leaf = nil
        }
        children[key, default: .nothing].set(path.dropFirst(), to: new)
    }

    mutating func setPriority(_ priority: ModelLeaf?, at path: some Collection<ModelText>) {
        guard let key = path.first else {
            if !isNothing { self.priority = priority }
            return
        }
        children[key]?.setPriority(priority, at: path.dropFirst())
    }

    /// The node without its empty parts: a parent is deleted with its last child, and the priority with the node.
    var tidied: ModelNode {
        var node = self
        node.children = children.mapValues(\.tidied).filter { !$0.value.isNothing }
        if node.isNothing { node.priority = nil }
        return node
    }

    /// Returns the node with every leaf and priority transformed, given the previous one at the same path.
    func mapped(
        over old: ModelNode, _ change: (ModelLeaf, ModelLeaf?) throws(ModelRefusal) -> ModelLeaf
    ) throws(ModelRefusal) -> ModelNode {
        var node = self
        if let leaf { node.leaf = try change(leaf, old.leaf) }
        if let priority { node.priority = try change(priority, old.priority) }
        for (key, child) in children {
            node.children[key] = try child.mapped(over: old.children[key] ?? .nothing, change)
        }
        return node
    }

    /// Whether the node contains the time of the commit as a server value.
    var hasNow: Bool { leaf == .now || priority == .now || children.values.contains(where: \.hasNow) }

    /// The node without priorities: the form of plain JSON.
    var plain: ModelNode { ModelNode(leaf: leaf, children: children.mapValues(\.plain)) }

    var sortedKeys: [ModelText] { children.keys.sorted { $0.precedesAsKey($1) } }
}

/// The refusal of a request: the status, and the beginning of the message.
struct ModelRefusal: Error {
    var status = 400
    let sentence: String

    init(_ sentence: String, status: Int = 400) {
        self.sentence = sentence
        self.status = status
    }

    static let invalidData = ModelRefusal(
        "Invalid data; couldn't parse JSON object, array, or value. Perhaps you're using invalid characters in your key"
            + " names.")
    static let invalidPath = ModelRefusal("Invalid path: Invalid token in path")
    static let tooLarge = ModelRefusal(
        "Data to write exceeds the maximum size that can be modified with a single request.")
}
