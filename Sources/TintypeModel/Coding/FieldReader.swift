#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The fields of an object, which are read by their names. Optional fields and elements of lists that cannot be read are
/// left out, and noted.
struct FieldReader {
    /// The parts that could not be read so far.
    private(set) var faults: [DecodingFault] = []
    private let container: KeyedDecodingContainer<FieldName>
    /// The names of the fields that were requested so far.
    private var known: Set<String> = []

    /// - Throws: `DecodingError` if the value is not an object.
    init(_ decoder: any Decoder) throws {
        container = try decoder.container(keyedBy: FieldName.self)
    }

    /// Reads a required field.
    ///
    /// - Throws: `DecodingError` if it is missing, null, or of another type.
    mutating func required<Value: Decodable>(_ name: String, as type: Value.Type = Value.self) throws -> Value {
        known.insert(name)
        do { return try container.decode(type, forKey: FieldName(name)) } catch  where !(error is DecodingError) {
            // An error of Foundation's own, such as for a number that is too large, which names no place.
            throw Self.corrupted("the value cannot be read: \(error)", name, in: container)
        }
    }

    /// Reads an optional field; nil if it is missing, null, or of another type.
    mutating func optional<Value: Decodable>(_ name: String, as type: Value.Type = Value.self) -> Value? {
        known.insert(name)
        let key = FieldName(name)
        return attempt(key) { container in try container.decodeIfPresent(type, forKey: key) }
    }

    /// Reads a field that is false if it is missing or of another type.
    mutating func flag(_ name: String) -> Bool { optional(name) ?? false }

    /// Reads a number of things or pixels; nil if it is missing or not a number. Fractions are rounded.
    mutating func number(_ name: String) -> Int? {
        guard let double = optional(name, as: Double.self) else { return nil }
        return attempt(FieldName(name)) { container in
            guard let integer = Int(exactly: double.rounded()) else {
                throw Self.corrupted("\(double) is too large", name, in: container)
            }
            return integer
        }
    }

    /// Reads a whole number of 64 bits, such as a number of bytes; nil if it is missing or not such a number.
    mutating func integer(_ name: String) -> Int64? { optional(name) }

    /// Reads a required time, in milliseconds since the epoch.
    ///
    /// - Throws: `DecodingError` if it is missing, or not a time that a calendar can show.
    mutating func requiredTime(_ name: String) throws -> Date {
        try Milliseconds.date(try required(name), at: container.codingPath + [FieldName(name)])
    }

    /// Reads an optional time, in milliseconds since the epoch; nil if it is missing or not a time.
    mutating func time(_ name: String) -> Date? {
        guard let milliseconds = optional(name, as: Double.self) else { return nil }
        let key = FieldName(name)
        return attempt(key) { container in try Milliseconds.date(milliseconds, at: container.codingPath + [key]) }
    }

    /// Reads a list. The list may also be an object whose keys are the positions, as the tree has lists; gaps are
    /// skipped.
    ///
    /// - Parameter idName: The name of the elements' field with the id, for the faults; nil for none.
    mutating func list<Element: Decodable>(
        _ name: String, of type: Element.Type = Element.self, idName: String? = nil
    ) -> [Element] {
        let key = FieldName(name)
        if let list = try? container.nestedUnkeyedContainer(forKey: key) {
            known.insert(name)
            return elements(of: list, at: key, idName)
        }
        return object(name).map { elements(of: $0, idName) } ?? []
    }

    /// Reads a list.
    ///
    /// - Parameter idName: The name of the elements' field with the id, for the faults.
    /// - Throws: `DecodingError` if it is missing, null, or not a list.
    mutating func requiredList<Element: Decodable>(_ name: String, idName: String) throws -> [Element] {
        _ = try container.nestedUnkeyedContainer(forKey: FieldName(name))
        return list(name, idName: idName)
    }

    /// Marks fields as known that are not read.
    mutating func ignore(_ names: String...) { known.formUnion(names) }

    /// Reads an object whose members have names of their own; nil if it is missing, null, or not an object. Members that
    /// cannot be read are left out.
    mutating func dictionary<Value: Decodable>(_ name: String, of type: Value.Type = Value.self) -> [String: Value]? {
        guard let object = object(name) else { return nil }
        var members: [String: Value] = [:]
        for key in object.allKeys {
            guard let decoder = attempt(key, { _ in try object.superDecoder(forKey: key) }) else { continue }
            members[key.stringValue] = element(decoder, nil, nil)
        }
        return members
    }

    /// Reads the width and the height of a picture, in pixels.
    ///
    /// - Throws: `DecodingError` if one is missing, or not a length that a picture can have.
    mutating func size() throws -> (width: Int, height: Int) {
        func length(_ name: String) throws -> Int {
            let length = try required(name, as: Double.self)
            guard (1...1e9).contains(length) else {
                throw Self.corrupted("\(length) is not a length in pixels", name, in: container)
            }
            return Int(length.rounded())
        }
        return (try length("width"), try length("height"))
    }

    /// Reads a set of ids: a list of them, or an object whose keys they are, each with the value `true`.
    mutating func ids<Subject>(_ name: String, of type: Subject.Type = Subject.self) -> [EntityID<Subject>] {
        if (try? container.nestedUnkeyedContainer(forKey: FieldName(name))) != nil { return list(name) }
        guard let object = object(name) else { return [] }
        return object.allKeys.filter { (try? object.decode(Bool.self, forKey: $0)) == true }
            .map { EntityID($0.stringValue) }.sorted()
    }

    /// Returns the fields that were not requested.
    ///
    /// - Throws: `DecodingError` if one of them is nested too deep.
    func rest() throws -> [String: JSONValue] {
        var rest: [String: JSONValue] = [:]
        for key in container.allKeys where !known.contains(key.stringValue) {
            rest[key.stringValue] = try container.decode(JSONValue.self, forKey: key)
        }
        return rest
    }

    /// Returns the members of a field; nil if it is missing, null, or not an object.
    private mutating func object(_ name: String) -> KeyedDecodingContainer<FieldName>? {
        known.insert(name)
        let key = FieldName(name)
        guard container.contains(key), (try? container.decodeNil(forKey: key)) != true else { return nil }
        return attempt(key) { container in try container.nestedContainer(keyedBy: FieldName.self, forKey: key) }
    }

    private mutating func elements<Element: Decodable>(
        of list: any UnkeyedDecodingContainer, at key: FieldName, _ idName: String?
    ) -> [Element] {
        var (list, elements) = (list, [Element]())
        while !list.isAtEnd {
            if (try? list.decodeNil()) == true { continue }
            let index = list.currentIndex
            guard let decoder = attempt(key, { _ in try list.superDecoder() }) else { break }
            if let element: Element = element(decoder, index, idName) { elements.append(element) }
        }
        return elements
    }

    private mutating func elements<Element: Decodable>(
        of object: KeyedDecodingContainer<FieldName>, _ idName: String?
    ) -> [Element] {
        let keys = object.allKeys.sorted { KeyOrder.precedes($0.stringValue, $1.stringValue) }
        var elements: [Element] = []
        for key in keys where (try? object.decodeNil(forKey: key)) != true {
            guard let decoder = attempt(key, { _ in try object.superDecoder(forKey: key) }) else { continue }
            if let element: Element = element(decoder, Int(key.stringValue), idName) { elements.append(element) }
        }
        return elements
    }

    private mutating func element<Element: Decodable>(
        _ decoder: any Decoder, _ index: Int?, _ idName: String?
    ) -> Element? {
        do { return try Element(from: decoder) } catch {
            let fields = try? decoder.container(keyedBy: FieldName.self)
            let id = idName.flatMap { try? fields?.decode(String.self, forKey: FieldName($0)) }
            faults.append(DecodingFault(error, at: decoder.codingPath, index: index, id: id))
            return nil
        }
    }

    private mutating func attempt<Value>(
        _ key: FieldName, _ read: (KeyedDecodingContainer<FieldName>) throws -> Value?
    ) -> Value? {
        do { return try read(container) } catch {
            faults.append(DecodingFault(error, at: container.codingPath + [key]))
            return nil
        }
    }

    private static func corrupted(
        _ reason: String, _ name: String, in container: KeyedDecodingContainer<FieldName>
    ) -> DecodingError {
        .dataCorrupted(.init(codingPath: container.codingPath + [FieldName(name)], debugDescription: reason))
    }
}
