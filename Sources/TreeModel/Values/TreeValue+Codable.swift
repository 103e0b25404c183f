extension TreeValue: Codable {
    /// Decodes a JSON value: a list becomes an object, and null is left out.
    public init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: Key.self) {
            var children: [TreeKey: TreeValue] = [:]
            for key in container.allKeys { children[key.key] = try container.decode(Child.self, forKey: key).value }
            self = .object(children)
            return
        }
        if var container = try? decoder.unkeyedContainer() {
            var children: [TreeKey: TreeValue] = [:]
            while !container.isAtEnd {
                let key = TreeKey(unchecked: String(container.currentIndex))
                children[key] = try container.decode(Child.self).value
            }
            self = .object(children)
            return
        }
        let container = try decoder.singleValueContainer()
        if let string = try? container.decode(String.self) {
            self = .string(string)
        } else if let integer = try? container.decode(Int64.self) {
            self = .integer(integer)
        } else if let bool = try? container.decode(Bool.self) {
            self = .bool(bool)
        } else {
            self = .double(try container.decode(Double.self))
        }
    }

    /// Encodes the value; objects stay objects, whatever their keys.
    public func encode(to encoder: any Encoder) throws {
        if case .object(let children) = self {
            var container = encoder.container(keyedBy: Key.self)
            for (key, child) in children { try container.encode(child, forKey: Key(key: key)) }
            return
        }
        var container = encoder.singleValueContainer()
        switch self {
        case .bool(let bool): try container.encode(bool)
        case .integer(let integer): try container.encode(integer)
        case .double(let double): try container.encode(double)
        case .string(let string): try container.encode(string)
        case .object: break
        }
    }

    /// A decoded child, which may be null.
    private struct Child: Decodable {
        let value: TreeValue?

        init(from decoder: any Decoder) throws {
            let isNull = (try? decoder.singleValueContainer().decodeNil()) ?? false
            value = isNull ? nil : try TreeValue(from: decoder)
        }
    }

    private struct Key: CodingKey {
        let key: TreeKey

        init(key: TreeKey) { self.key = key }

        init?(stringValue: String) {
            guard let key = try? TreeKey(stringValue) else { return nil }
            self.key = key
        }

        init?(intValue: Int) { nil }

        var stringValue: String { key.string }
        var intValue: Int? { nil }
    }
}
