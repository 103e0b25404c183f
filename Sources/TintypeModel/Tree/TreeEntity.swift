/// An entity that is stored as a node of the tree, with the key of the node as its id: an app's own type at any path.
///
///     struct Event: TreeEntity {
///         var id: EntityID<Event>
///         var title: String
///         var begins: Date
///     }
///
/// The node has the other properties as its children; the field of the id is only added while an entity is decoded. A
/// `Date` is a whole number of milliseconds since 1970 in the tree, as everywhere in the service.
public protocol TreeEntity: Codable, Identifiable, Sendable where ID: Codable & Sendable {
    /// The coding key of the id, which must be encoded as a string; `id` unless the type says otherwise.
    static var idName: String { get }
}

extension TreeEntity {
    /// The coding key of the id.
    public static var idName: String { "id" }

    /// Returns the key of the node of an entity.
    ///
    /// - Throws: `EncodingError` if the id is not encoded as a string, or is empty.
    package static func key(of id: ID) throws -> String {
        guard let key = try JSONCoding.value(of: id).string, !key.isEmpty else {
            throw EncodingError.invalidValue(
                id, .init(codingPath: [], debugDescription: "the id is not a string with characters"))
        }
        return key
    }

    /// Creates an entity from a node.
    ///
    /// - Parameters:
    ///   - node: The value of the node, an object.
    ///   - key: The key of the node.
    /// - Throws: `DecodingError`.
    public init(node: JSONValue, key: String) throws {
        guard var fields = node.object else {
            throw DecodingError.typeMismatch(
                Self.self, .init(codingPath: [], debugDescription: "the node is not an object"))
        }
        fields[Self.idName] = .string(key)
        self = try JSONCoding.decode(Self.self, from: .object(fields))
    }

    /// Returns the key and the value of the entity's node, for a write that replaces the node as a whole.
    ///
    /// - Parameter previous: The present value of the node. Those of its fields that the type does not know are kept;
    ///   with nil, or with a value that is not such an entity, there are none.
    /// - Throws: `EncodingError`, also for an entity whose id is not encoded as a string, or is empty.
    public func node(replacing previous: JSONValue? = nil) throws -> (key: String, value: JSONValue) {
        let value = try JSONCoding.value(of: self)
        guard var fields = value.object, let key = fields.removeValue(forKey: Self.idName)?.string, !key.isEmpty else {
            throw EncodingError.invalidValue(
                self, .init(codingPath: [], debugDescription: "the entity has no \(Self.idName) that is a string"))
        }
        fields.merge(Self.unknownFields(of: previous, key: key)) { own, _ in own }
        return (key, .object(fields))
    }

    private static func unknownFields(of node: JSONValue?, key: String) -> [String: JSONValue] {
        guard let fields = node?.object, let entity = try? Self(node: .object(fields), key: key),
            let known = try? JSONCoding.value(of: entity).object
        else { return [:] }
        return fields.filter { known[$0.key] == nil && $0.key != idName }
    }
}
