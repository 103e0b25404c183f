#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Values of any type as JSON values. Dates are in milliseconds since 1970.
enum JSONCoding {
    /// - Throws: `DecodingError`.
    static func decode<Value: Decodable>(_ type: Value.Type, from value: JSONValue) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            try Milliseconds.date(decoder.singleValueContainer().decode(Double.self), at: decoder.codingPath)
        }
        return try decoder.decode(type, from: JSONEncoder().encode(value))
    }

    /// - Throws: `EncodingError`.
    static func value(of value: some Encodable) throws -> JSONValue {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(Milliseconds.number(date, at: encoder.codingPath))
        }
        return try JSONDecoder().decode(JSONValue.self, from: encoder.encode(value))
    }
}
