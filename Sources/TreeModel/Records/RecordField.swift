/// A field of a record: its key, and how it is read and written.
package struct RecordField<Record, Value>: Sendable {
    /// The refusal of a value that is no such record.
    struct Missing: Error {}

    /// The keys at which it stands; none for the key of the record itself.
    let keys: [TreeKey]
    let read: @Sendable (_ record: TreeValue, _ key: TreeKey?) throws -> Value
    let write: @Sendable (Record, inout [TreeKey: TreeValue]) -> Void

    /// A field that is read in a way of its own.
    ///
    /// - Parameters:
    ///   - read: Reads what stands there; nil when the record is none for it.
    ///   - write: What stands there; nil for nothing.
    package init(
        _ key: String, read: @escaping @Sendable (TreeValue?) -> Value?,
        write: @escaping @Sendable (Record) -> TreeValue?
    ) {
        let key = TreeKey(unchecked: key)
        keys = [key]
        self.read = { record, _ throws in
            guard let value = read(record[key]) else { throw Missing() }
            return value
        }
        self.write = { record, fields in fields[key] = write(record) }
    }

    /// A property that is no part of what is stored.
    package init(unstored value: Value) where Value: Sendable {
        keys = []
        read = { _, _ in value }
        write = { _, _ in }
    }

    /// The key of the record itself, which its value does not repeat.
    package init(keyAs path: any KeyPath<Record, Value> & Sendable) where Value: FieldValue {
        keys = []
        read = { _, key throws in
            guard let id = key.flatMap({ Value(TreeValue.string($0.string)) }) else { throw Missing() }
            return id
        }
        write = { _, _ in }
    }
}

extension RecordField where Value: FieldCoding {
    /// A field that each record has; or, of an optional property, one that it may have.
    package init(_ key: String, _ path: any KeyPath<Record, Value> & Sendable) {
        self.init(key, read: { Value.read($0) }, write: { $0[keyPath: path].written })
    }
}

extension RecordField where Value: FieldValue & Equatable {
    /// A field that is not there while it has its usual value.
    package init(_ key: String, _ path: any KeyPath<Record, Value> & Sendable, default usual: Value) {
        self.init(
            key, read: { Value.read($0) ?? usual },
            write: { record in
                let value = record[keyPath: path]
                return value == usual ? nil : value.value
            })
    }
}

extension RecordField where Value: FieldValue {
    /// A field that is always written, and was not in earlier versions: then another one stands for it.
    package init(_ key: String, _ path: any KeyPath<Record, Value> & Sendable, fallback: String) {
        let (key, fallback) = (TreeKey(unchecked: key), TreeKey(unchecked: fallback))
        keys = [key]
        read = { record, _ throws in
            guard let value = Value.read(record[key]) ?? Value.read(record[fallback]) else { throw Missing() }
            return value
        }
        write = { record, fields in fields[key] = record[keyPath: path].value }
    }

    /// A field that is always written, and was not in earlier versions.
    package init(_ key: String, _ path: any KeyPath<Record, Value> & Sendable, orElse earlier: Value) {
        self.init(key, read: { Value.read($0) ?? earlier }, write: { $0[keyPath: path].value })
    }
}

extension RecordField {
    /// Fields of the record that are one property, all of them there or none.
    package init<Part: TreeRecord>(partOf path: any KeyPath<Record, Value> & Sendable) where Value == Part? {
        keys = Part.form.keys
        read = { record, key in Part(record, at: key) }
        write = { record, fields in
            if let part = record[keyPath: path] { Part.form.write(part, &fields) }
        }
    }

    /// Fields of the record that are one property.
    package init(partOf path: any KeyPath<Record, Value> & Sendable) where Value: TreeRecord {
        keys = Value.form.keys
        read = { record, key in try Value.form.read(record, key) }
        write = { record, fields in Value.form.write(record[keyPath: path], &fields) }
    }
}
