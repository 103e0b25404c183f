import TreeModel

/// A node of a JSON text that is being built: a scalar, a list, or an object.
///
/// Foundation's encoder cannot embed a value of the tree unchanged, and does not keep the order of fields.
final class JSONNode {
    private enum Kind {
        case text([UInt8])
        case list
        case object
    }

    private var kind = Kind.text(Array("null".utf8))
    /// The elements, or the members with their names.
    private var children: [(name: String, node: JSONNode)] = []

    /// Creates an empty node, which is `null` until it gets a value.
    init() {}

    /// Encodes a value. A part whose own `encode(to:)` throws becomes `null`; the containers of this encoder never
    /// throw.
    convenience init(of value: some Encodable) {
        self.init()
        try? encode(value)
    }

    fileprivate func makeList() { kind = .list }

    fileprivate func makeObject() { kind = .object }

    fileprivate func add(_ name: String = "") -> JSONNode {
        let node = JSONNode()
        children.append((name, node))
        return node
    }

    fileprivate var count: Int { children.count }

    fileprivate func encode(_ value: some Encodable) throws {
        var text: [UInt8] = []
        switch value {
        case let value as TreeValue: text = value.json()
        case let value as String: JSONText.append(value.utf8.span, to: &text)
        case let value as Bool: text.append(contentsOf: "\(value)".utf8)
        case let value as Double: JSONText.append(value, to: &text)
        case let value as any FixedWidthInteger: text.append(contentsOf: "\(value)".utf8)
        default: return try value.encode(to: NodeEncoder(node: self))
        }
        kind = .text(text)
    }

    /// Appends the JSON text.
    func write(to bytes: inout [UInt8], isSorted: Bool) {
        switch kind {
        case .text(let text):
            bytes += text
        case .list:
            bytes.append(UInt8(ascii: "["))
            for (index, child) in children.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                child.node.write(to: &bytes, isSorted: isSorted)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object:
            bytes.append(UInt8(ascii: "{"))
            let members = isSorted ? children.sorted { $0.name < $1.name } : children
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                JSONText.append(member.name.utf8.span, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.node.write(to: &bytes, isSorted: isSorted)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }
}

/// Encodes into a node.
private struct NodeEncoder: Encoder {
    let node: JSONNode
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.makeObject()
        return KeyedEncodingContainer(Members(node: node))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.makeList()
        return Elements(node: node)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single(node: node) }
}

private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: JSONNode
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) { _ = node.add(key.stringValue) }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try node.add(key.stringValue).encode(value) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        NodeEncoder(node: node.add(key.stringValue)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        NodeEncoder(node: node.add(key.stringValue)).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { NodeEncoder(node: node.add("super")) }

    func superEncoder(forKey key: Key) -> any Encoder { NodeEncoder(node: node.add(key.stringValue)) }
}

private struct Elements: UnkeyedEncodingContainer {
    let node: JSONNode
    var codingPath: [any CodingKey] { [] }
    var count: Int { node.count }

    func encodeNil() { _ = node.add() }

    func encode<T: Encodable>(_ value: T) throws { try node.add().encode(value) }

    func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
        NodeEncoder(node: node.add()).container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { NodeEncoder(node: node.add()).unkeyedContainer() }

    func superEncoder() -> any Encoder { NodeEncoder(node: node.add()) }
}

private struct Single: SingleValueEncodingContainer {
    let node: JSONNode
    var codingPath: [any CodingKey] { [] }

    func encodeNil() {}

    func encode<T: Encodable>(_ value: T) throws { try node.encode(value) }
}
