/// Converts the tokens of a JSON value to rows, with the protocol's conventions.
///
/// Nulls and empty containers are ignored; arrays are objects with the keys 0, 1, 2 …; `.value` and `.priority` are a
/// leaf and a priority; `.sv` is a server value. In a multi-path update, each key of the outermost object is a path.
/// All limits are enforced while the tokens arrive.
struct RowEncoder: JSONSink {
    private let form: Form
    private let base: TreePath
    private var frames: [Frame] = []
    private var role: Role
    /// The current path below the node of the write.
    private var path: [UInt8] = []
    private var depth: Int
    private var writer: WriteBuilder
    private var writes: [EncodedWrite] = []
    private var byteCount = 0
    /// Whether the text of an update is `null`, which deletes the node itself.
    private(set) var isDeletion = false

    /// The longest path of a value, in bytes. Rows repeat the path, so that a short JSON text could otherwise become
    /// very many bytes. The protocol's own clients send at most 768.
    static let maxPathBytes = 2048

    /// Creates an encoder for the new value of a node or of its priority; for an update, the paths are below the node.
    init(_ form: Form, at path: TreePath, isPriority: Bool = false) {
        self.form = form
        base = path
        depth = path.depth
        writer = WriteBuilder(path, isPriority: isPriority)
        role = isPriority ? .priority : .node
    }

    /// Returns all writes, after the end of the text.
    mutating func finish() throws(TreeError) -> [EncodedWrite] {
        if form == .value {
            try base.checkDepth()
            try finishWrite()
        }
        return writes
    }

    private mutating func finishWrite() throws(TreeError) {
        let write = try writer.finish()
        byteCount += write.byteCount
        try EncodedUpdate.check(byteCount: byteCount)
        writes.append(write)
    }

    // MARK: Values, scalars and containers

    private var isInsideNothing: Bool { frames.isEmpty && form == .update }

    private mutating func beginValue() throws(TreeError) {
        guard let last = frames.indices.last, case .array(let next) = frames[last].container else { return }
        frames[last].container = .array(next: next + 1)
        try descend()
        PathEncoding.append(index: next, to: &path)
    }

    private mutating func endValue() throws(TreeError) {
        guard let last = frames.indices.last else { return }
        switch frames[last].container {
        case .update:
            try finishWrite()
            path = []
        case .array, .object:
            path.removeSubrange(frames[last].pathLength...)
            if role == .node { depth -= 1 }
        case .serverValue, .increment: break
        }
        role = .node
    }

    private mutating func descend() throws(TreeError) {
        depth += 1
        guard depth <= TreePath.maxDepth else {
            throw TreeError(
                .tooLarge, "the value is more than \(TreePath.maxDepth) keys deep", path: base,
                hint: "Store the data less deeply.")
        }
    }

    mutating func beginObject() throws(TreeError) {
        try beginValue()
        switch role {
        case .node: begin(isInsideNothing ? .update : .object)
        case .value, .priority: begin(.serverValue)
        case .serverValue: begin(.increment)
        case .increment: throw Self.badServerValue
        }
    }

    mutating func beginArray() throws(TreeError) {
        guard !isInsideNothing else { throw Self.notAnUpdate }
        guard role == .node else { throw Self.notAScalar }
        try beginValue()
        begin(.array(next: 0))
    }

    private mutating func begin(_ container: Container) {
        frames.append(Frame(container: container, role: role, pathLength: path.count, start: writer.position))
        role = .node
    }

    mutating func endArray() throws(TreeError) { try endObject() }

    mutating func endObject() throws(TreeError) {
        guard let frame = frames.popLast() else { return }
        role = frame.role
        switch frame.container {
        case .update: return
        case .serverValue, .increment: guard frame.hasLeaf else { throw Self.badServerValue }
        case .object, .array:
            // A missing node has no priority.
            if frame.hasPriority, writer.position.count == frame.start.count + 1 { writer.truncate(to: frame.start) }
        }
        try endValue()
    }

    // MARK: Keys

    mutating func key(_ utf8: Span<UInt8>) throws(TreeError) {
        guard let last = frames.indices.last else { return }
        switch frames[last].container {
        case .update:
            try beginWrite(utf8)
        case .object where utf8.isEmpty || utf8[0] != UInt8(ascii: "."):
            try beginChild(utf8, of: last)
        case .object:
            try beginMetadata(utf8.text, of: last)
        case .serverValue:
            guard utf8.text == ".sv", !frames[last].hasLeaf else { throw Self.notAScalar }
            role = .serverValue
        case .increment:
            guard utf8.text == "increment", !frames[last].hasLeaf else { throw Self.badServerValue }
            role = .increment
        case .array: break
        }
    }

    private mutating func beginWrite(_ utf8: Span<UInt8>) throws(TreeError) {
        var keys = utf8.text.unicodeScalars.split(separator: "/").map(String.init)
        let isPriority = keys.last == ".priority"
        if isPriority { keys.removeLast() }
        var path = base
        for key in keys { path.keys.append(try TreeKey(key)) }
        try path.checkDepth()
        writer = WriteBuilder(path, isPriority: isPriority)
        depth = path.depth
        role = isPriority ? .priority : .node
    }

    private mutating func beginChild(_ utf8: Span<UInt8>, of frame: Int) throws(TreeError) {
        if let complaint = TreeKey.complaint(about: utf8) { throw TreeKey.invalid(complaint) }
        guard !frames[frame].hasLeaf else { throw Self.leafWithChildren }
        frames[frame].hasChildren = true
        try descend()
        let start = frames[frame].pathLength
        PathEncoding.append(utf8: utf8, to: &path)
        let (path, writer, firstRow) = (path, writer, frames[frame].start)
        let isNew = try frames[frame].keys.insert(path.span.extracting(droppingFirst: start)) { () throws(TreeError) in
            try writer.segments(from: firstRow, below: start)
        }
        guard isNew else { throw Self.invalid("the key \"\(utf8.text)\" is there twice in one object") }
        role = .node
    }

    private mutating func beginMetadata(_ name: String, of frame: Int) throws(TreeError) {
        let isFirst = !frames[frame].hasChildren && !frames[frame].hasLeaf
        switch name {
        case ".value":
            guard isFirst else { throw Self.leafWithChildren }
            role = .value
        case ".priority":
            guard !frames[frame].hasPriority else { throw Self.invalid("an object has two priorities") }
            role = .priority
        case ".sv":
            guard isFirst, !frames[frame].hasPriority else { throw Self.badServerValue }
            frames[frame].container = .serverValue
            role = .serverValue
        default:
            throw TreeKey.invalid("the key \"\(name)\" has the character \".\"")
        }
    }

    // MARK: Scalars

    mutating func null() throws(TreeError) {
        guard isInsideNothing else { return try scalar(nil) }
        isDeletion = true
        try finishWrite()
    }

    mutating func bool(_ bool: Bool) throws(TreeError) {
        try scalar([bool ? LeafEncoding.trueTag : LeafEncoding.falseTag])
    }

    mutating func number(_ number: JSONNumber) throws(TreeError) {
        switch (number, role) {
        case (.integer(let integer), .increment):
            try serverValue(LeafEncoding.encode(integer, tag: LeafEncoding.incrementIntegerTag))
        case (.double(let double), .increment): try serverValue(LeafEncoding.encode(incrementBy: double))
        case (.integer(let integer), _): try scalar(LeafEncoding.encode(integer))
        case (.double(let double), _): try scalar(LeafEncoding.encode(double))
        }
    }

    mutating func string(_ utf8: Span<UInt8>) throws(TreeError) {
        if role == .serverValue, utf8.text == "timestamp" {
            return try serverValue(LeafEncoding.encode(0, tag: LeafEncoding.timestampTag))
        }
        guard utf8.count <= TreeValue.maxStringBytes else {
            throw TreeError(
                .tooLarge, "the string has \(utf8.count) bytes; the limit is \(TreeValue.maxStringBytes)", path: base,
                hint: "Keep large data in a blob and its name in the tree.")
        }
        var leaf: [UInt8] = []
        leaf.reserveCapacity(utf8.count + 1)
        leaf.append(LeafEncoding.stringTag)
        leaf.append(utf8)
        try scalar(leaf)
    }

    private mutating func scalar(_ leaf: [UInt8]?) throws(TreeError) {
        guard !isInsideNothing else { throw Self.notAnUpdate }
        try beginValue()
        switch role {
        case .node, .value, .priority: try append(leaf, as: role)
        case .serverValue, .increment: throw Self.badServerValue
        }
        try endValue()
    }

    /// Writes a server value at the position of the object that contains it.
    private mutating func serverValue(_ leaf: [UInt8]) throws(TreeError) {
        let object = frames.lastIndex { if case .serverValue = $0.container { true } else { false } }
        guard let object else { throw Self.badServerValue }
        for index in object..<frames.count { frames[index].hasLeaf = true }
        let role = frames[object].role
        try append(leaf, as: role, of: role == .node || object == 0 ? nil : object - 1)
        try endValue()
    }

    private mutating func append(_ leaf: [UInt8]?, as role: Role, of holder: Int? = nil) throws(TreeError) {
        let holder = holder ?? frames.indices.last
        var rowPath = path
        switch role {
        case .value:
            if let holder { frames[holder].hasLeaf = true }
        case .priority:
            if let tag = leaf?.first, tag == LeafEncoding.trueTag || tag == LeafEncoding.falseTag {
                throw Self.invalid("a priority must be a string or a number")
            }
            if leaf != nil, let holder, case .object = frames[holder].container {
                frames[holder].hasPriority = true
                rowPath.append(PathEncoding.priorityTag)
            }
        case .node, .serverValue, .increment: break
        }
        if let leaf {
            try Self.check(pathByteCount: writer.keyByteCount + rowPath.count, at: base)
            writer.append(path: rowPath.span, leaf: leaf.span)
        }
        try EncodedUpdate.check(byteCount: byteCount + writer.position.bytes)
    }
}
