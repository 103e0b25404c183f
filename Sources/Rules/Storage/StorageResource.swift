package import TreeModel

/// What storage rules know of an object: one that is there, or one that is to be.
package struct StorageResource: Sendable {
    /// The whole name, such as `u1/full/P1/a.jpg`.
    package let name: String
    package let bucket: String
    /// The size in bytes.
    package let size: Int64
    /// The media type; nil where none is known.
    package let contentType: String?
    /// What the client noted with the object.
    package let metadata: [String: String]
    /// When the object came; nil for one that is to be.
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

/// What somebody does with an object.
package enum StorageOperation: String, CaseIterable, Sendable {
    case get, list, create, update, delete

    /// The operations that a word after `allow` stands for; nil for another word.
    static func named(_ name: String) -> [StorageOperation]? {
        switch name {
        case "read": [.get, .list]
        case "write": [.create, .update, .delete]
        default: StorageOperation(rawValue: name).map { [$0] }
        }
    }
}
