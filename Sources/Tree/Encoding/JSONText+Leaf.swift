extension JSONText {
    /// Appends a stored leaf as JSON.
    static func append(leaf: Span<UInt8>, to json: inout [UInt8]) throws(TreeError) {
        switch leaf.isEmpty ? 0 : leaf[0] {
        case LeafEncoding.falseTag: json.append(contentsOf: "false".utf8)
        case LeafEncoding.trueTag: json.append(contentsOf: "true".utf8)
        case LeafEncoding.integerTag:
            json.append(contentsOf: String(Int64(bitPattern: try leaf.bigEndian(at: 1))).utf8)
        case LeafEncoding.doubleTag: append(Double(bitPattern: try leaf.bigEndian(at: 1)), to: &json)
        case LeafEncoding.stringTag: append(leaf.extracting(droppingFirst: 1), to: &json)
        default: throw TreeError.corrupt("a leaf in the store has an unknown tag")
        }
    }
}
