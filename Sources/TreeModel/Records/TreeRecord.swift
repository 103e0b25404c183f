/// A record of the tree: an object whose fields are declared once, in ``form``, and read and written by that.
///
///     struct Previous: TreeRecord {
///         let hash: String
///         let salt: String?
///
///         static let form = RecordForm(Self.init, .init("previous", \.hash), .init("salt", \.salt))
///     }
///
/// The fields are those of an initialiser, in its order, so that one without a field does not compile.
package protocol TreeRecord: FieldValue {
    static var form: RecordForm<Self> { get }
}

extension TreeRecord {
    /// Reads a record; nil when a field that each has is missing, or is no such value.
    package init?(_ value: TreeValue) { self.init(value, at: nil) }

    /// Reads a record.
    ///
    /// - Parameter key: The key at which it stands, for a record that has it for a field (``RecordField/init(keyAs:)``).
    package init?(_ value: TreeValue?, at key: TreeKey?) {
        guard let value, let record = try? Self.form.read(value, key) else { return nil }
        self = record
    }

    /// The record as it stands in the tree.
    package var value: TreeValue {
        var fields: [TreeKey: TreeValue] = [:]
        Self.form.write(self, &fields)
        return .object(fields)
    }
}

/// The fields of a record.
package struct RecordForm<Record>: Sendable {
    /// The keys of the fields.
    package let keys: [TreeKey]
    package let read: @Sendable (_ record: TreeValue, _ key: TreeKey?) throws -> Record
    package let write: @Sendable (Record, inout [TreeKey: TreeValue]) -> Void

    /// - Parameter make: Makes a record of the values of the fields, in their order.
    package init<each Value>(
        _ make: @escaping @Sendable (repeat each Value) -> Record, _ fields: repeat RecordField<Record, each Value>
    ) {
        var keys: [TreeKey] = []
        for field in repeat each fields { keys += field.keys }
        self.keys = keys
        read = { record, key throws in
            // A leaf is no record, even of fields that may all be missing.
            guard record.object != nil else { throw RecordField<Record, Never>.Missing() }
            return make(repeat try (each fields).read(record, key))
        }
        write = { record, object in
            for field in repeat each fields { field.write(record, &object) }
        }
    }
}
