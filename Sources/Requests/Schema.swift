package import API
package import TreeModel

/// The JSON Schema (2020-12) of a value.
package struct Schema: Sendable {
    package let make: @Sendable (inout Schemas) -> JSONValue

    package init(_ make: @escaping @Sendable (inout Schemas) -> JSONValue) {
        self.make = make
    }

    package init(_ schema: JSONValue) {
        self.init { _ in schema }
    }

    package static func document<D: Document>(_ type: D.Type) -> Schema { Schema { $0.schema(of: type) } }

    package static func any(_ schemas: Schema...) -> Schema {
        Schema { all in ["anyOf": .list(schemas.map { $0.make(&all) })] }
    }

    package static func list(of schema: Schema) -> Schema {
        Schema { all in ["type": "array", "items": schema.make(&all)] }
    }

    /// Returns the schema of an object.
    ///
    /// - Parameter isOpen: Whether further members are possible.
    package static func object(
        _ fields: [String: Schema], required: [String] = [], isOpen: Bool = false
    ) -> Schema {
        Schema { all in
            var schema: JSONValue = [
                "type": "object", "properties": .object(fields.mapValues { $0.make(&all) }),
            ]
            if !required.isEmpty { schema["required"] = .list(required.map(JSONValue.string)) }
            if !isOpen { schema["additionalProperties"] = false }
            return schema
        }
    }

    /// Returns a reference to a schema that is described under a name of its own, which `SchemaDescriptions` explains.
    package func named(_ name: String) -> Schema {
        Schema { all in all.add(name, make(&all)) }
    }

    /// Returns an object whose members have any names and values of this schema.
    package static func map(of schema: Schema, names pattern: String? = nil) -> Schema {
        Schema { all in
            var map: JSONValue = ["type": "object", "additionalProperties": schema.make(&all)]
            if let pattern { map["propertyNames"] = ["pattern": .string(pattern)] }
            return map
        }
    }

    package static let text = Schema(["type": "string"])
    package static let flag = Schema(["type": "boolean"])
    package static let null = Schema(["type": "null"])
    /// A number from 0.
    package static let count = Schema(["type": "integer", "minimum": 0])
    package static let binary = Schema(["type": "string", "format": "binary"])
    package static let postID = Schema(["type": "string", "pattern": "^[-0-9A-Z_a-z]{20}$"])
    package static let userID = Schema(["type": "string", "pattern": "^[-0-9A-Z_a-z]{1,128}$"])

    package static func text(upTo maxLength: Int) -> Schema {
        Schema(["type": "string", "maxLength": .integer(maxLength)])
    }

    package static func text(matching pattern: String) -> Schema {
        Schema(["type": "string", "pattern": .string(pattern)])
    }

    /// Returns the schema of a text that is one of these words.
    package static func words(_ words: String...) -> Schema {
        Schema(["type": "string", "enum": .list(words.map(JSONValue.string))])
    }

    package static func integer(_ range: ClosedRange<Int>) -> Schema {
        Schema(["type": "integer", "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound)])
    }

    /// A point in time: milliseconds since 1970, a day, or a time (ISO 8601).
    package static let moment = Schema([
        "anyOf": [
            ["type": "integer", "format": "int64"], ["type": "string", "format": "date"],
            ["type": "string", "format": "date-time"],
        ]
    ]).named("Moment")

    /// Returns the schema of the words that an enumeration lists.
    package static func one<T: CaseIterable & RawRepresentable & SendableMetatype>(
        of type: T.Type
    ) -> Schema where T.RawValue == String {
        Schema { $0.schema(ofWords: type) }
    }
}
