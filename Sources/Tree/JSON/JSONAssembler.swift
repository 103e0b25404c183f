/// Builds JSON text from rows, in one pass.
///
/// Rows are added in ascending key order, so that the rows of every object are adjacent. An object whose keys are all
/// canonical non-negative integers, the largest less than twice their number, is written as an array, with null for
/// missing elements, as Realtime Databases do. This is known only at the end of the object; its text is then rewritten.
struct JSONAssembler {
    private struct Level {
        /// The offset of the end of the key's segment in the paths of the rows below.
        let end: Int
        /// The offset of the object's text.
        let start: Int
        /// The index of the object's first element in ``elements``.
        let firstElement: Int
        var mayBeArray: Bool
        var isEmpty = true
    }

    private struct Element {
        let index: Int
        let keyStart: Int
        let valueStart: Int
    }

    private let form: JSONForm
    private var json: [UInt8] = []
    private var levels: [Level] = []
    private var elements: [Element] = []
    private var lastPath: [UInt8] = []
    /// The offset of the last leaf's text.
    private var lastLeafStart = 0
    private var isEmpty = true

    init(_ form: JSONForm = .plain) { self.form = form }

    /// Adds a row by its path below the top of the subtree.
    mutating func add(path: Span<UInt8>, leaf: Span<UInt8>) throws(TreeError) {
        let isPriority = path.count > 0 && path[path.count - 1] == PathEncoding.priorityTag
        if isPriority {
            guard form == .export else { return }
            return try addPriority(leaf, of: path.extracting(droppingLast: 1))
        }
        let common = isEmpty ? 0 : path.commonPrefixLength(with: lastPath.span)
        while let level = levels.last, level.end > common { closeLevel() }
        if path.count > 0 { try openLevels(to: path) }
        try append(leaf)
        remember(path)
    }

    /// Returns the text of the added rows; `null` if there were none.
    ///
    /// The assembler is empty afterwards.
    mutating func finish() -> [UInt8] {
        while !levels.isEmpty { closeLevel() }
        if isEmpty { json.append(contentsOf: "null".utf8) }
        let text = json
        self = JSONAssembler(form)
        return text
    }

    /// The length of the text so far.
    var byteCount: Int { json.count }

    /// Removes and returns the part of the text that can no longer change; empty if there is none.
    mutating func drain() -> [UInt8] {
        // Without a possible array, the text before the last leaf is final, and the start offsets of objects are no
        // longer used.
        guard elements.isEmpty else { return [] }
        let text = Array(json[..<lastLeafStart])
        json.removeSubrange(..<lastLeafStart)
        lastLeafStart = 0
        return text
    }

    private mutating func remember(_ path: Span<UInt8>) {
        lastPath.removeAll(keepingCapacity: true)
        lastPath.append(path)
        isEmpty = false
    }

    // MARK: Leaves

    private mutating func append(_ leaf: Span<UInt8>) throws(TreeError) {
        lastLeafStart = json.count
        try JSONText.append(leaf: leaf, to: &json)
    }

    /// Adds a priority, which directly follows the node's own leaf or precedes its children.
    private mutating func addPriority(_ priority: Span<UInt8>, of node: Span<UInt8>) throws(TreeError) {
        if !isEmpty, lastPath.span.hasSameBytes(as: node) {
            json.insert(contentsOf: "{\".value\":".utf8, at: lastLeafStart)
            json.append(contentsOf: ",\".priority\":".utf8)
            try JSONText.append(leaf: priority, to: &json)
            json.append(UInt8(ascii: "}"))
            return
        }
        let common = isEmpty ? 0 : node.commonPrefixLength(with: lastPath.span)
        while let level = levels.last, level.end > common { closeLevel() }
        if node.count > 0 { try openLevels(to: node) }
        openLevel(end: node.count)
        appendComma()
        json.append(contentsOf: "\".priority\":".utf8)
        try append(priority)
        remember(node)
    }

    // MARK: Objects

    /// Opens the missing objects on the path of a leaf, and writes the leaf's key.
    private mutating func openLevels(to path: Span<UInt8>) throws(TreeError) {
        if levels.isEmpty { openLevel(end: 0) }
        var start = levels.last?.end ?? 0
        while true {
            let end = try PathEncoding.segmentEnd(in: path, from: start)
            try appendKey(path.extracting(start..<end))
            guard end < path.count else { return }
            openLevel(end: end)
            start = end
        }
    }

    private mutating func openLevel(end: Int) {
        levels.append(
            Level(end: end, start: json.count, firstElement: elements.count, mayBeArray: form == .plain))
        json.append(UInt8(ascii: "{"))
    }

    private mutating func appendComma() {
        guard let last = levels.indices.last else { return }
        if !levels[last].isEmpty { json.append(UInt8(ascii: ",")) }
        levels[last].isEmpty = false
    }

    private mutating func appendKey(_ segment: Span<UInt8>) throws(TreeError) {
        guard let last = levels.indices.last else { return }
        appendComma()
        let keyStart = json.count
        try Self.appendKey(segment, to: &json)
        json.append(UInt8(ascii: ":"))
        guard levels[last].mayBeArray else { return }
        if let index = PathEncoding.index(segment) {
            elements.append(Element(index: index, keyStart: keyStart, valueStart: json.count))
        } else {
            levels[last].mayBeArray = false
            elements.removeSubrange(levels[last].firstElement...)
        }
    }

    /// Appends the key of a segment as a JSON string.
    static func appendKey(_ segment: Span<UInt8>, to json: inout [UInt8]) throws(TreeError) {
        var text: [UInt8] = []
        try PathEncoding.appendText(of: segment, to: &text)
        JSONText.append(text.span, to: &json)
    }

    private mutating func closeLevel() {
        guard let level = levels.popLast() else { return }
        json.append(UInt8(ascii: "}"))
        guard level.mayBeArray else { return }
        let count = elements.count - level.firstElement
        if let last = elements.last, count > 0, last.index < 2 * count { rewriteAsArray(level) }
        elements.removeSubrange(level.firstElement...)
    }

    private mutating func rewriteAsArray(_ level: Level) {
        var array = [UInt8(ascii: "[")]
        array.reserveCapacity(json.count - level.start + 5 * (elements.count - level.firstElement))
        var next = 0
        for position in level.firstElement..<elements.count {
            let element = elements[position]
            while next < element.index {
                array.append(contentsOf: "null,".utf8)
                next += 1
            }
            next += 1
            // A value ends before the comma in front of the next key; the last one ends before the brace.
            let end = position + 1 < elements.count ? elements[position + 1].keyStart - 1 : json.count - 1
            array.append(contentsOf: json[element.valueStart..<end])
            array.append(UInt8(ascii: position + 1 < elements.count ? "," : "]"))
        }
        json.removeSubrange(level.start...)
        json.append(contentsOf: array)
    }
}
