#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The fields of an object, which are written by their names. Nil and empty lists are left out.
struct FieldWriter {
    private var container: KeyedEncodingContainer<FieldName>

    /// - Parameter additional: Fields that the type does not know; the type's own fields replace them.
    init(_ encoder: any Encoder, additional: [String: JSONValue] = [:]) throws {
        container = encoder.container(keyedBy: FieldName.self)
        for (name, value) in additional { try container.encode(value, forKey: FieldName(name)) }
    }

    mutating func set(_ name: String, _ value: (some Encodable)?) throws {
        try container.encodeIfPresent(value, forKey: FieldName(name))
    }

    mutating func set(_ name: String, time: Date?) throws {
        let key = FieldName(name)
        let milliseconds = try time.map { try Milliseconds.number($0, at: container.codingPath + [key]) }
        try container.encodeIfPresent(milliseconds, forKey: key)
    }

    mutating func set(_ name: String, list: [some Encodable]) throws {
        if !list.isEmpty { try container.encode(list, forKey: FieldName(name)) }
    }

    /// Writes a field that is left out if it is false.
    mutating func set(_ name: String, flag: Bool) throws {
        if flag { try container.encode(true, forKey: FieldName(name)) }
    }

    /// Writes ids as an object whose keys they are.
    mutating func set<Subject>(_ name: String, ids: [EntityID<Subject>]) throws {
        guard !ids.isEmpty else { return }
        var object = container.nestedContainer(keyedBy: FieldName.self, forKey: FieldName(name))
        for id in ids { try object.encode(true, forKey: FieldName(id.rawValue)) }
    }
}
