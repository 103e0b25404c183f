/// The children of a node as entities, in the order of their keys: whole numbers first, by their value, then all others.
public struct TreeChildren<Element: TreeEntity>: Sendable {
    /// The entities.
    public let elements: [Element]
    /// The children that are not such entities, each with its key as the id.
    public let faults: [DecodingFault]

    /// Creates children that were decoded one by one.
    package init(elements: [Element], faults: [DecodingFault]) { (self.elements, self.faults) = (elements, faults) }

    /// Creates the entities of a node.
    ///
    /// - Parameter node: The value of the node: an object; a list, the form in which the tree sends children whose keys
    ///   are 0, 1, 2 and so on; or `null` for a node without children. Any other value has none, and is a fault.
    public init(node: JSONValue) {
        var elements: [Element] = []
        var faults: [DecodingFault] = []
        switch node {
        case .null: break
        case .object(let children):
            for (key, child) in children.sorted(by: { KeyOrder.precedes($0.key, $1.key) }) {
                add(child, key, index: nil)
            }
        case .array(let children):
            for (index, child) in children.enumerated() where child != .null { add(child, String(index), index: index) }
        case .bool, .integer, .double, .string:
            faults.append(DecodingFault(path: "", reason: "the node has no children"))
        }
        (self.elements, self.faults) = (elements, faults)

        func add(_ child: JSONValue, _ key: String, index: Int?) {
            do { elements.append(try Element(node: child, key: key)) } catch {
                faults.append(DecodingFault(error, below: FieldName(key), index: index, id: key))
            }
        }
    }
}

extension TreeChildren: Decodable {
    /// Decodes the children of a node.
    ///
    /// - Throws: `DecodingError` if this is not JSON, or nested too deep.
    public init(from decoder: any Decoder) throws {
        self.init(node: try JSONValue(from: decoder))
    }
}

extension TreeChildren: Equatable where Element: Equatable {}
