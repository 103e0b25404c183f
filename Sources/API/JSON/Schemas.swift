package import TreeModel

/// The JSON Schemas (2020-12) of documents, each derived from the `init(from:)` of its type.
///
/// A decoder without a text gives every field a sample value and records its name and type, so that the schema always
/// agrees with the type. A field that is decoded with `decodeIfPresent` is optional.
package struct Schemas {
    /// The schemas of the objects that are referred to, by name.
    package private(set) var components: [String: JSONValue] = [:]
    /// The types whose schemas may lack fields, because they decode a type without a sample.
    package private(set) var incomplete: Set<String> = []

    package init() {}

    /// Returns the schema of a type; for an object, a reference to it.
    package mutating func schema<T: Decodable>(of type: T.Type) -> JSONValue { describe(type).schema }

    /// Returns the schema, and a sample to continue with; nil for the sample if the type cannot be decoded from one.
    fileprivate mutating func describe<T: Decodable>(_ type: T.Type) -> (schema: JSONValue, sample: T?) {
        if let leaf = type as? any SchemaLeaf.Type {
            return (leaf.schema(in: &self), leaf.sample as? T)
        }
        if let names = Self.names(of: type) {
            let name = Self.name(of: type)
            return (add(name, Self.words(names)), (type as? any CaseIterable.Type).flatMap(Self.firstCase) as? T)
        }
        let recording = Recording(self)
        let sample = try? T(from: recording)
        self = recording.schemas
        if sample == nil { incomplete.insert(Self.name(of: type)) }
        guard let properties = recording.properties else { return (recording.single ?? [:], sample) }
        let name = Self.name(of: type)
        var schema: JSONValue = ["type": "object", "properties": .object(properties)]
        if !recording.required.isEmpty { schema["required"] = .list(recording.required.map { .string($0) }) }
        return (add(name, schema), sample)
    }

    /// Adds a schema under a name, and returns a reference to it.
    package mutating func add(_ name: String, _ schema: JSONValue) -> JSONValue {
        components[name] = schema
        return Self.reference(to: name)
    }

    /// Returns a reference to the schema of the words that an enumeration lists.
    package mutating func schema<T: CaseIterable & RawRepresentable>(
        ofWords type: T.Type
    ) -> JSONValue where T.RawValue == String {
        add(Self.name(of: type), Self.words(T.allCases.map(\.rawValue)))
    }

    private static func words(_ words: [String]) -> JSONValue {
        ["type": "string", "enum": .list(words.map(JSONValue.string))]
    }

    private static func reference(to name: String) -> JSONValue { ["$ref": "#/components/schemas/\(name)"] }

    /// Returns the name of a schema: `UploadDocument.Photo` becomes `UploadPhoto`, `PostDocument.Shape` becomes `Post`,
    /// and a private `OutboxRoutes.State` becomes `OutboxState`.
    private static func name(of type: any Any.Type) -> String {
        String(reflecting: type).split(separator: ".").dropFirst().filter { !$0.hasPrefix("(") }.joined()
            .replacing("Document", with: "").replacing("Shape", with: "").replacing("Routes", with: "")
    }

    /// Returns the values of an enumeration of strings; nil for any other type.
    private static func names(of type: any Any.Type) -> [String]? {
        guard let type = type as? any CaseIterable.Type else { return nil }
        let names = cases(of: type).compactMap { ($0 as? any RawRepresentable)?.rawValue as? String }
        return names.isEmpty ? nil : names
    }

    private static func cases(of type: any CaseIterable.Type) -> [Any] { Array(type.allCases.map { $0 as Any }) }

    private static func firstCase(of type: any CaseIterable.Type) -> Any? { cases(of: type).first }
}

/// A type with a fixed schema, because it is not an object of fields.
private protocol SchemaLeaf {
    static func schema(in schemas: inout Schemas) -> JSONValue
    static var sample: Self { get }
}

extension String: SchemaLeaf {
    fileprivate static func schema(in schemas: inout Schemas) -> JSONValue { ["type": "string"] }
    fileprivate static var sample: String { "" }
}

extension Bool: SchemaLeaf {
    fileprivate static func schema(in schemas: inout Schemas) -> JSONValue { ["type": "boolean"] }
    fileprivate static var sample: Bool { false }
}

extension Int: SchemaLeaf {
    fileprivate static func schema(in schemas: inout Schemas) -> JSONValue { ["type": "integer"] }
    fileprivate static var sample: Int { 0 }
}

extension Int64: SchemaLeaf {
    fileprivate static func schema(in schemas: inout Schemas) -> JSONValue { ["type": "integer", "format": "int64"] }
    fileprivate static var sample: Int64 { 0 }
}

extension Double: SchemaLeaf {
    fileprivate static func schema(in schemas: inout Schemas) -> JSONValue { ["type": "number"] }
    fileprivate static var sample: Double { 0 }
}

extension Array: SchemaLeaf where Element: Decodable {
    fileprivate static func schema(in schemas: inout Schemas) -> JSONValue {
        ["type": "array", "items": schemas.schema(of: Element.self)]
    }
    fileprivate static var sample: [Element] { [] }
}

extension Dictionary: SchemaLeaf where Key == String, Value: Decodable {
    fileprivate static func schema(in schemas: inout Schemas) -> JSONValue {
        ["type": "object", "additionalProperties": schemas.schema(of: Value.self)]
    }
    fileprivate static var sample: [String: Value] { [:] }
}

extension Optional: SchemaLeaf where Wrapped: Decodable {
    fileprivate static func schema(in schemas: inout Schemas) -> JSONValue {
        ["anyOf": [schemas.schema(of: Wrapped.self), ["type": "null"]]]
    }
    fileprivate static var sample: Wrapped? { nil }
}

extension TreeValue: SchemaLeaf {
    fileprivate static func schema(in schemas: inout Schemas) -> JSONValue { [:] }
    fileprivate static var sample: TreeValue { .bool(false) }
}

extension PostDocument: SchemaLeaf {
    fileprivate static func schema(in schemas: inout Schemas) -> JSONValue { schemas.schema(of: Shape.self) }
    fileprivate static var sample: PostDocument { PostDocument(.sample) }
}

// MARK: - The decoder

/// Records the fields and values that a type decodes.
private final class Recording: Decoder {
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]
    var schemas: Schemas
    /// The schemas of the fields; nil until a keyed container is requested.
    var properties: [String: JSONValue]?
    var required: [String] = []
    /// The schema of a type that is not an object.
    var single: JSONValue?

    init(_ schemas: Schemas) { self.schemas = schemas }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        properties = properties ?? [:]
        return KeyedDecodingContainer(Fields(recording: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw NoSample() }

    func singleValueContainer() -> any SingleValueDecodingContainer { Single(recording: self) }

    /// The error of types without a sample: a list of elements of different types, or a nested container.
    struct NoSample: Error {}
}

private final class OptionalFields {
    var names: Set<String> = []
}

private struct Fields<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let recording: Recording
    let optional = OptionalFields()
    let codingPath: [any CodingKey] = []
    let allKeys: [Key] = []

    /// Records the name for `decodeIfPresent`, which calls this before it decodes.
    func contains(_ key: Key) -> Bool {
        optional.names.insert(key.stringValue)
        return true
    }

    func decodeNil(forKey key: Key) -> Bool { false }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        let (schema, sample) = recording.schemas.describe(type)
        recording.properties?[key.stringValue] = schema
        if !optional.names.contains(key.stringValue) { recording.required.append(key.stringValue) }
        guard let sample else { throw Recording.NoSample() }
        return sample
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> { throw Recording.NoSample() }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw Recording.NoSample() }

    func superDecoder() throws -> any Decoder { throw Recording.NoSample() }

    func superDecoder(forKey key: Key) throws -> any Decoder { throw Recording.NoSample() }
}

private struct Single: SingleValueDecodingContainer {
    let recording: Recording
    let codingPath: [any CodingKey] = []

    func decodeNil() -> Bool { false }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let (schema, sample) = recording.schemas.describe(type)
        recording.single = schema
        guard let sample else { throw Recording.NoSample() }
        return sample
    }
}
