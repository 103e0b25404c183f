package import TreeModel

extension JSONValue {
    /// Reads a JSON text in which no object has duplicate members (RFC 7515 §4); nil for any other text.
    package init?(text: some Sequence<UInt8>) {
        let bytes = Array(text)
        var tokenizer = JSONTokenizer(JSONBuilder())
        do {
            try tokenizer.feed(bytes.span)
            try tokenizer.finish()
        } catch {
            return nil
        }
        guard let value = tokenizer.sink.value else { return nil }
        self = value
    }

    /// The value as JSON, without spaces, with the members of objects sorted by name.
    package var text: [UInt8] {
        var json: [UInt8] = []
        append(to: &json)
        return json
    }

    private func append(to json: inout [UInt8]) {
        switch self {
        case .null: json += Array("null".utf8)
        case .bool(let bool): json += Array("\(bool)".utf8)
        case .integer(let integer): json += Array(String(integer).utf8)
        case .double(let double): JSONText.append(double, to: &json)
        case .string(let string): JSONText.append(string.utf8.span, to: &json)
        case .list(let list):
            json.append(UInt8(ascii: "["))
            for (index, element) in list.enumerated() {
                if index > 0 { json.append(UInt8(ascii: ",")) }
                element.append(to: &json)
            }
            json.append(UInt8(ascii: "]"))
        case .object(let object):
            json.append(UInt8(ascii: "{"))
            for (index, member) in object.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { json.append(UInt8(ascii: ",")) }
                JSONText.append(member.key.utf8.span, to: &json)
                json.append(UInt8(ascii: ":"))
                member.value.append(to: &json)
            }
            json.append(UInt8(ascii: "}"))
        }
    }

    /// The elements of a list; nil for other values.
    var elements: [JSONValue]? { if case .list(let elements) = self { elements } else { nil } }
}

/// Builds a value from the tokens of a JSON text; the tokenizer limits the depth.
private struct JSONBuilder: JSONSink {
    /// An object or a list whose end has not been read.
    private struct Container {
        let isObject: Bool
        var members: [String: JSONValue] = [:]
        var elements: [JSONValue] = []
        /// The name of the next member.
        var key = ""
    }

    private(set) var value: JSONValue?
    private var open: [Container] = []

    private mutating func add(_ new: JSONValue) throws(TreeError) {
        guard let last = open.indices.last else { return value = new }
        guard open[last].isObject else { return open[last].elements.append(new) }
        guard open[last].members.updateValue(new, forKey: open[last].key) == nil else {
            throw TreeError(.invalidJSON, "a name occurs twice", hint: "Name each member once.")
        }
    }

    mutating func beginObject() { open.append(Container(isObject: true)) }
    mutating func beginArray() { open.append(Container(isObject: false)) }

    mutating func key(_ utf8: Span<UInt8>) {
        guard let last = open.indices.last else { return }
        open[last].key = utf8.text
    }

    mutating func endObject() throws(TreeError) {
        guard let container = open.popLast() else { return }
        try add(.object(container.members))
    }

    mutating func endArray() throws(TreeError) {
        guard let container = open.popLast() else { return }
        try add(.list(container.elements))
    }

    mutating func string(_ utf8: Span<UInt8>) throws(TreeError) { try add(.string(utf8.text)) }
    mutating func bool(_ bool: Bool) throws(TreeError) { try add(.bool(bool)) }
    mutating func null() throws(TreeError) { try add(.null) }

    mutating func number(_ number: JSONNumber) throws(TreeError) {
        switch number {
        case .integer(let integer): try add(.integer(Int(integer)))
        case .double(let double): try add(.double(double))
        }
    }
}
