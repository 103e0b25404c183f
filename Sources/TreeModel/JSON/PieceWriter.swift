/// Writes the tokens of a JSON text again, in pieces that are updates.
///
/// A piece may end after any leaf. Containers that are open at this point are closed, so that the piece is valid JSON.
/// Their further members are written with full paths as keys: `{"a":{"b":1,` and `"c":2}}` become `{"a":{"b":1}}` and
/// `{"a/c":2}`.
struct PieceWriter: JSONSink {
    fileprivate struct Frame {
        let isArray: Bool
        /// Whether the members are written with paths, because the container began in an earlier piece or is the update
        /// itself.
        var isResumed: Bool
        var hasMembers = false
        var nextIndex = 0
        /// Whether the container is a leaf in the form of an object.
        var isLeaf = false
    }

    private let form: JSONSplitter.Form
    private let depth: Int
    private let maxPieceBytes: Int
    private let maxPaths: Int
    /// Whether the piece is an object of paths.
    private var isUpdate: Bool
    private var json: [UInt8] = []
    private var pathCount = 0
    private var frames: [Frame] = []
    /// The keys of the path to the next value, one for each open container.
    private var keys: [[UInt8]] = []
    /// The number of open containers within metadata of a node, such as `.sv`, which is not a child.
    private var metadataDepth = 0
    /// Whether the piece so far contains a priority without its leaf; the priority would be lost if the piece ended.
    private var awaitsLeaf = false
    private var pieces: [JSONSplitter.Piece] = []

    init(form: JSONSplitter.Form, depth: Int, maxPieceBytes: Int, maxPaths: Int) {
        self.form = form
        self.depth = depth
        self.maxPieceBytes = maxPieceBytes
        self.maxPaths = maxPaths
        isUpdate = form == .update
    }

    /// Removes and returns the complete pieces.
    mutating func takePieces() -> [JSONSplitter.Piece] {
        defer { pieces = [] }
        return pieces
    }

    /// Ends the piece if it is not empty.
    mutating func endPiece() {
        for frame in frames.reversed() where !frame.isResumed { json.append(frame.end) }
        if isUpdate, pathCount > 0 { json.append(UInt8(ascii: "}")) }
        if !json.isEmpty { pieces.append(JSONSplitter.Piece(form: isUpdate ? .update : .value, json: json)) }
        json = []
        pathCount = 0
        isUpdate = true
        for index in frames.indices { frames[index].isResumed = true }
    }

    // MARK: Values

    /// Whether the current value is metadata of a node instead of a child.
    private var isMetadata: Bool { metadataDepth > 0 || keys.last?.first == UInt8(ascii: ".") }

    private mutating func beginValue() throws(TreeError) {
        guard let last = frames.indices.last else {
            guard !isUpdate else { throw Self.notAnUpdate }
            return
        }
        if frames[last].isArray {
            try checkDepth()
            keys.append(Array(String(frames[last].nextIndex).utf8))
            frames[last].nextIndex += 1
        }
        if frames[last].isResumed {
            json.append(UInt8(ascii: pathCount > 0 ? "," : "{"))
            pathCount += 1
            append(key: Array(keys.joined(separator: [UInt8(ascii: "/")])))
        } else {
            if frames[last].hasMembers { json.append(UInt8(ascii: ",")) }
            frames[last].hasMembers = true
            if !frames[last].isArray, let key = keys.last { append(key: key) }
        }
    }

    private mutating func append(key: [UInt8]) {
        JSONText.append(key.span, to: &json)
        json.append(UInt8(ascii: ":"))
    }

    /// Ends the piece if it is long enough and may end at this point.
    private mutating func endValue() {
        let mayEnd = !isMetadata && !awaitsLeaf && !frames.isEmpty
        if !frames.isEmpty { keys.removeLast() }
        if mayEnd, json.count >= maxPieceBytes || pathCount >= maxPaths { endPiece() }
    }

    private mutating func scalar(
        isNull: Bool = false, _ write: (inout [UInt8]) -> Void
    ) throws(TreeError) {
        try beginValue()
        write(&json)
        noteLeaf(isNull: isNull)
        endValue()
    }

    private mutating func noteLeaf(isNull: Bool) {
        guard !isNull else { return }
        guard isMetadata else { return awaitsLeaf = false }
        guard metadataDepth == 0, let last = frames.indices.last else { return }
        if keys.last == Self.priority { awaitsLeaf = true } else { frames[last].isLeaf = true }
    }

    private func checkDepth() throws(TreeError) {
        guard depth + frames.count <= TreePath.maxDepth || metadataDepth > 0 else {
            throw TreeError(
                .tooLarge, "the value is more than \(TreePath.maxDepth) keys deep", hint: "Store the data less deeply.")
        }
    }

    private static let priority = Array(".priority".utf8)
    private static let metadata = [priority, Array(".value".utf8), Array(".sv".utf8)]

    private static var notAnUpdate: TreeError {
        TreeError(.invalidJSON, "an update must be an object", hint: "Put the values into an object, by their keys.")
    }
}

// MARK: - Tokens

extension PieceWriter {
    mutating func beginObject() throws(TreeError) {
        guard !frames.isEmpty || !isUpdate else { return frames.append(Frame(isArray: false, isResumed: true)) }
        try begin(isArray: false)
    }

    mutating func beginArray() throws(TreeError) { try begin(isArray: true) }

    private mutating func begin(isArray: Bool) throws(TreeError) {
        try beginValue()
        if isMetadata { metadataDepth += 1 }
        json.append(UInt8(ascii: isArray ? "[" : "{"))
        frames.append(Frame(isArray: isArray, isResumed: false))
    }

    mutating func endObject() throws(TreeError) {
        guard let frame = frames.popLast() else { return }
        if !frame.isResumed { json.append(frame.end) }
        if metadataDepth > 0 { metadataDepth -= 1 }
        if isMetadata { noteLeaf(isNull: false) }
        if frame.isLeaf { awaitsLeaf = false }
        endValue()
    }

    mutating func endArray() throws(TreeError) { try endObject() }

    mutating func key(_ utf8: Span<UInt8>) throws(TreeError) {
        let key = utf8.copied
        if metadataDepth == 0, !Self.metadata.contains(key) {
            if let complaint = TreeKey.complaint(about: utf8) { throw TreeKey.invalid(complaint) }
            try checkDepth()
        }
        keys.append(key)
    }

    mutating func string(_ utf8: Span<UInt8>) throws(TreeError) {
        guard utf8.count <= TreeValue.maxStringBytes else {
            throw TreeError(
                .tooLarge, "the string has \(utf8.count) bytes; the limit is \(TreeValue.maxStringBytes)",
                hint: "Keep large data in a blob and its name in the tree.")
        }
        try beginValue()
        JSONText.append(utf8, to: &json)
        noteLeaf(isNull: false)
        endValue()
    }

    mutating func number(_ number: JSONNumber) throws(TreeError) {
        try scalar { json in
            switch number {
            case .integer(let integer): json.append(contentsOf: String(integer).utf8)
            case .double(let double): JSONText.append(double, to: &json)
            }
        }
    }

    mutating func bool(_ bool: Bool) throws(TreeError) { try scalar { $0.append(contentsOf: "\(bool)".utf8) } }

    mutating func null() throws(TreeError) { try scalar(isNull: true) { $0.append(contentsOf: "null".utf8) } }
}

extension PieceWriter.Frame {
    fileprivate var end: UInt8 { UInt8(ascii: isArray ? "]" : "}") }
}
