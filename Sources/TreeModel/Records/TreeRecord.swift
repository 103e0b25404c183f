/// A record of the tree: an object whose fields are declared once, in ``form``. The form is used to read and write it.
///
///     struct Previous: TreeRecord {
///         let hash: String
///         let salt: String?
///
///         static let form = RecordForm(Self.init, .init("previous", \.hash), .init("salt", \.salt))
///     }
///
/// The fields are the parameters of an initialiser, in its order, so that a missing field does not compile.
package protocol TreeRecord: FieldValue {
    static var form: RecordForm<Self> { get }
}

extension TreeRecord {
    /// Decodes a record; nil if a required field is missing or invalid.
    package init?(_ value: TreeValue) { self.init(value, at: nil) }

    /// Decodes a record; nil if a required field is missing or invalid.
    ///
    /// - Parameter key: The key of the record, for a record with the key as a property (``RecordField/init(keyAs:)``).
    package init?(_ value: TreeValue?, at key: TreeKey?) {
        guard let value, let record = try? Self.form.read(value, key) else { return nil }
        self = record
    }

    /// The record as it is stored in the tree.
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

    /// - Parameter make: Creates a record from the values of the fields, in their order.
    package init<each Value>(
        _ make: @escaping @Sendable (repeat each Value) -> Record, _ fields: repeat RecordField<Record, each Value>
    ) {
        var keys: [TreeKey] = []
        for field in repeat each fields { keys += field.keys }
        self.keys = keys
        read = { record, key throws in
            // A leaf is not a record, even if all fields are optional.
            guard record.object != nil else { throw RecordField<Record, Never>.Missing() }
            return make(repeat try (each fields).read(record, key))
        }
        write = { record, object in
            for field in repeat each fields { field.write(record, &object) }
        }
    }
}
