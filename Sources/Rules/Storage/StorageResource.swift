package import TreeModel

/// The properties of an object in storage rules: an existing object, or one to be created.
package struct StorageResource: Sendable {
    /// The whole name, such as `u1/full/P1/a.jpg`.
    package let name: String
    package let bucket: String
    /// The size in bytes.
    package let size: Int64
    /// The media type; nil if it is unknown.
    package let contentType: String?
    /// The client's own metadata of the object.
    package let metadata: [String: String]
    /// The time of the object's creation; nil for one to be created.
    package let created: Timestamp?

    package init(
        name: String, bucket: String, size: Int64, contentType: String?, metadata: [String: String] = [:],
        created: Timestamp? = nil
    ) {
        self.name = name
        self.bucket = bucket
        self.size = size
        self.contentType = contentType
        self.metadata = metadata
        self.created = created
    }

    /// The value of the variable `resource`.
    var value: StorageValue {
        var fields: [String: StorageValue] = [
            "name": .string(name), "bucket": .string(bucket), "size": .integer(size),
            "metadata": .map(metadata.mapValues(StorageValue.string)),
        ]
        fields["contentType"] = contentType.map(StorageValue.string)
        fields["timeCreated"] = created.map { .time($0.milliseconds) }
        return .map(fields)
    }
}

/// An operation on an object.
package enum StorageOperation: String, CaseIterable, Sendable {
    case get, list, create, update, delete

    /// Returns the operations that a word after `allow` stands for; nil for another word.
    static func named(_ name: String) -> [StorageOperation]? {
        switch name {
        case "read": [.get, .list]
        case "write": [.create, .update, .delete]
        default: StorageOperation(rawValue: name).map { [$0] }
        }
    }
}
