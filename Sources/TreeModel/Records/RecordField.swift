/// A field of a record: its key, and the functions that read and write it.
package struct RecordField<Record, Value>: Sendable {
    /// The error for a value that is not a valid record.
    struct Missing: Error {}

    /// The keys of the stored field; empty for the key of the record itself.
    let keys: [TreeKey]
    let read: @Sendable (_ record: TreeValue, _ key: TreeKey?) throws -> Value
    let write: @Sendable (Record, inout [TreeKey: TreeValue]) -> Void

    /// Creates a field with custom functions.
    ///
    /// - Parameters:
    ///   - read: Decodes the stored value; returns nil if the record is invalid with it.
    ///   - write: Returns the value to store; nil if there is none.
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

    /// Creates a property that is not stored.
    package init(unstored value: Value) where Value: Sendable {
        keys = []
        read = { _, _ in value }
        write = { _, _ in }
    }

    /// Creates a property that is the key of the record, which the stored value does not repeat.
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
    /// Creates a required field; or an optional one, if the property is optional.
    package init(_ key: String, _ path: any KeyPath<Record, Value> & Sendable) {
        self.init(key, read: { Value.read($0) }, write: { $0[keyPath: path].written })
    }
}

extension RecordField where Value: FieldValue & Equatable {
    /// Creates a field that is not stored while it has its default value.
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
    /// Creates a field that is always written but is missing in records of earlier versions; the `fallback` field is
    /// then read instead.
    package init(_ key: String, _ path: any KeyPath<Record, Value> & Sendable, fallback: String) {
        let (key, fallback) = (TreeKey(unchecked: key), TreeKey(unchecked: fallback))
        keys = [key]
        read = { record, _ throws in
            guard let value = Value.read(record[key]) ?? Value.read(record[fallback]) else { throw Missing() }
            return value
        }
        write = { record, fields in fields[key] = record[keyPath: path].value }
    }

    /// Creates a field that is always written but is missing in records of earlier versions; the given value is used
    /// then.
    package init(_ key: String, _ path: any KeyPath<Record, Value> & Sendable, orElse earlier: Value) {
        self.init(key, read: { Value.read($0) ?? earlier }, write: { $0[keyPath: path].value })
    }
}

extension RecordField {
    /// Creates a property that consists of several fields of the record, all present or all missing.
    package init<Part: TreeRecord>(partOf path: any KeyPath<Record, Value> & Sendable) where Value == Part? {
        keys = Part.form.keys
        read = { record, key in Part(record, at: key) }
        write = { record, fields in
            if let part = record[keyPath: path] { Part.form.write(part, &fields) }
        }
    }

    /// Creates a property that consists of several fields of the record.
    package init(partOf path: any KeyPath<Record, Value> & Sendable) where Value: TreeRecord {
        keys = Value.form.keys
        read = { record, key in try Value.form.read(record, key) }
        write = { record, fields in Value.form.write(record[keyPath: path], &fields) }
    }
}
