/// A query in terms of rows: the order of children as bytes, and the range of matching bytes.
struct EncodedQuery {
    let query: TreeQuery
    let order: ChildOrder
    /// The range of matching order bytes (``EngineSnapshot/appendOrder(_:of:segmentStart:to:)``).
    let range: ByteRange

    init(_ query: TreeQuery) throws(TreeError) {
        self.query = query
        order = ChildOrder(query.order)
        range = ByteRange(
            from: try query.lower?.position(in: order, isLower: true) ?? [],
            upTo: try query.upper?.position(in: order, isLower: false) ?? [PathEncoding.subtreeEnd])
    }

    /// Whether the query restricts the result; such a query does not match a leaf.
    var isFilter: Bool { query.lower != nil || query.upper != nil || query.limit != nil }

    /// Whether the query needs an index that the rules define.
    var needsIndex: Bool {
        switch order {
        case .key, .priority: false
        case .value, .children: true
        }
    }
}

extension TreeQuery.Bound {
    /// Returns the start or end of the range of order bytes; the bound must fit the order.
    fileprivate func position(in order: ChildOrder, isLower: Bool) throws(TreeError) -> [UInt8] {
        var bytes: [UInt8] = []
        var key = key
        if order == .key {
            key = values.first??.stringValue
        } else {
            for value in values { try Self.append(value, to: &bytes) }
        }
        switch key {
        case nil: return isLower == isInclusive ? bytes : bytes.afterAllBelow
        case Self.firstKey: return bytes
        case Self.lastKey: return bytes.afterAllBelow
        case .some(let key):
            PathEncoding.append(utf8: key.utf8.span, to: &bytes)
            return isLower == isInclusive ? bytes : bytes.afterAllBelow
        }
    }

    private static func append(_ value: TreeValue?, to bytes: inout [UInt8]) throws(TreeError) {
        guard let value, let leaf = LeafEncoding.encode(try value.normalised() ?? value) else {
            return OrderedValue.appendNull(to: &bytes)
        }
        try OrderedValue.append(leaf: leaf.span, to: &bytes)
    }
}

extension [UInt8] {
    /// The position after everything that begins with these bytes.
    fileprivate var afterAllBelow: [UInt8] { self + [PathEncoding.subtreeEnd] }
}
