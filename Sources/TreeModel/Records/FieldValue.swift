/// A value of a record's field: a leaf, such as a text or a number, or a nested record.
package protocol FieldValue: FieldCoding {
    /// Decodes a value; nil if it is not valid for the type.
    init?(_ value: TreeValue)

    /// The value as it is stored in the tree.
    var value: TreeValue { get }
}

/// The type of a field: a required or an optional value.
package protocol FieldCoding: Sendable {
    /// Decodes the stored value of the field; nil if the record is invalid with it.
    static func read(_ value: TreeValue?) -> Self?

    /// The value to store in the field; nil if there is none.
    var written: TreeValue? { get }
}

extension FieldValue {
    package static func read(_ value: TreeValue?) -> Self? { value.flatMap { Self($0) } }
    package var written: TreeValue? { value }
}

/// Missing and invalid values are decoded as nil.
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

/// A raw value that is a string, such as a code.
extension FieldValue where Self: RawRepresentable<String> {
    package init?(_ value: TreeValue) {
        guard let text = value.stringValue else { return nil }
        self.init(rawValue: text)
    }

    package var value: TreeValue { .string(rawValue) }
}

/// A value that is checked when it is read from a text, such as an id.
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
    /// Decodes a key; nil if it is not valid for the type.
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

/// An element of a list with a special stored form.
package protocol ListElement: Sendable {
    /// Decodes a list, without the elements that are invalid.
    static func list(_ value: TreeValue) -> [Self]
    static func value(of list: [Self]) -> TreeValue
}

extension Array: FieldValue, FieldCoding where Element: ListElement {
    package init?(_ value: TreeValue) { self = Element.list(value) }
    package var value: TreeValue { Element.value(of: self) }
}

/// A dictionary is decoded without the members that are invalid.
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
