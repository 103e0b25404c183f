/// The name of a field of a document, or a position in a list.
struct FieldName: CodingKey, Hashable {
    let stringValue: String
    let intValue: Int?

    init(_ name: String) { (stringValue, intValue) = (name, nil) }

    init(stringValue: String) { self.init(stringValue) }

    init(intValue: Int) { (stringValue, self.intValue) = (String(intValue), intValue) }
}
