/// A value of a field of a record: a leaf, such as a text or a number, or a record within it.
package protocol FieldValue: FieldCoding {
    /// Reads a value; nil for what is none.
    init?(_ value: TreeValue)

    /// The value as it stands in the tree.
    var value: TreeValue { get }
}

/// The type of a field: a value that each record has, or an optional one.
package protocol FieldCoding: Sendable {
    /// Reads what stands at the field; nil when the record is none for it.
    static func read(_ value: TreeValue?) -> Self?

    /// The value of the field; nil for nothing.
    var written: TreeValue? { get }
}

extension FieldValue {
    package static func read(_ value: TreeValue?) -> Self? { value.flatMap { Self($0) } }
    package var written: TreeValue? { value }
}

/// What is not there, or is no such value, is nil.
extension Optional: FieldCoding where Wrapped: FieldValue {
    package static func read(_ value: TreeValue?) -> Self? { .some(value.flatMap { Wrapped($0) }) }
    package var written: TreeValue? { self?.value }
}

// MARK: Leaves

extension String: FieldValue {
    package init?(_ value: TreeValue) {
        guard let text = value.stringValue else { return nil }
        self = text
    }

    package var value: TreeValue { .string(self) }
}

extension Int64: FieldValue {
    package init?(_ value: TreeValue) {
        guard let number = value.integerValue else { return nil }
        self = number
    }

    package var value: TreeValue { .integer(self) }
}

extension Int: FieldValue {
    package init?(_ value: TreeValue) {
        guard let number = value.integerValue else { return nil }
        self.init(clamping: number)
    }

    package var value: TreeValue { .integer(Int64(self)) }
}

extension Bool: FieldValue {
    package init?(_ value: TreeValue) {
        guard let bool = value.boolValue else { return nil }
        self = bool
    }

    package var value: TreeValue { .bool(self) }
}

extension TreeValue: FieldValue {
    package init?(_ value: TreeValue) { self = value }
    package var value: TreeValue { self }
}

/// A code with a text.
extension FieldValue where Self: RawRepresentable<String> {
    package init?(_ value: TreeValue) {
        guard let text = value.stringValue else { return nil }
        self.init(rawValue: text)
    }

    package var value: TreeValue { .string(rawValue) }
}

/// An id, or what else is checked when it is read from a text.
package protocol TextFieldValue: FieldValue, CustomStringConvertible {
    init?(_ text: String)
}

extension TextFieldValue {
    package init?(_ value: TreeValue) {
        guard let text = value.stringValue else { return nil }
        self.init(text)
    }

    package var value: TreeValue { .string(description) }
}

extension PushID: TextFieldValue {}

extension TreeKey: FieldValue {
    package init?(_ value: TreeValue) {
        guard let text = value.stringValue, let key = try? TreeKey(text) else { return nil }
        self = key
    }

    package var value: TreeValue { .string(string) }
}

// MARK: Lists

/// A key of a list within a record.
package protocol ListKey: Hashable, Sendable {
    /// Reads a key; nil for what is none.
    init?(_ key: TreeKey)

    var treeKey: TreeKey { get }
}

extension Int: ListKey {
    package init?(_ key: TreeKey) { self.init(key.string) }
    package var treeKey: TreeKey { TreeKey(unchecked: String(self)) }
}

extension String: ListKey {
    package init?(_ key: TreeKey) { self = key.string }
    package var treeKey: TreeKey { TreeKey(unchecked: self) }
}

/// An element of a list that has a form of its own.
package protocol ListElement: Sendable {
    /// Reads a list, without what cannot be read.
    static func list(_ value: TreeValue) -> [Self]
    static func value(of list: [Self]) -> TreeValue
}

extension Array: FieldValue, FieldCoding where Element: ListElement {
    package init?(_ value: TreeValue) { self = Element.list(value) }
    package var value: TreeValue { Element.value(of: self) }
}

/// A list by keys, without what cannot be read.
extension Dictionary: FieldValue, FieldCoding where Key: ListKey, Value: FieldValue {
    package init?(_ value: TreeValue) {
        guard let children = value.object else { return nil }
        self.init()
        for (key, child) in children {
            if let key = Key(key), let child = Value(child) { self[key] = child }
        }
    }

    package var value: TreeValue { .object([TreeKey: TreeValue](map { ($0.treeKey, $1.value) }) { $1 }) }
}
