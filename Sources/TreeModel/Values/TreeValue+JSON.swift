extension TreeValue {
    /// Returns the value as JSON text (RFC 8259, UTF-8), with keys in the protocol's order.
    ///
    /// An object whose keys are all canonical non-negative integers, the largest less than twice their number, is
    /// written as an array, with null for missing elements, as Realtime Databases do. Doubles are written in the
    /// shortest form that reads back as the same number. A number that is not finite, which the store never contains,
    /// becomes null.
    ///
    /// - Parameter pretty: Whether the text has line breaks and an indentation of two spaces.
    public func json(pretty: Bool = false) -> [UInt8] {
        var writer = JSONWriter(pretty: pretty)
        writer.write(self)
        return writer.bytes
    }
}

private struct JSONWriter {
    let pretty: Bool
    var bytes: [UInt8] = []
    var level = 0

    init(pretty: Bool) { self.pretty = pretty }

    mutating func write(_ value: TreeValue) {
        switch value {
        case .bool(let bool): append(bool ? "true" : "false")
        case .integer(let integer): append(String(integer))
        case .double(let double): JSONText.append(double, to: &bytes)
        case .string(let string): JSONText.append(string.utf8.span, to: &bytes)
        case .object(let children): writeObjectOrArray(children)
        }
    }

    private mutating func writeObjectOrArray(_ children: [TreeKey: TreeValue]) {
        if let elements = Self.arrayElements(of: children) {
            list("[", elements, "]") { writer, element in
                if let element { writer.write(element) } else { writer.append("null") }
            }
        } else {
            list("{", children.sorted { $0.key < $1.key }, "}") { writer, child in
                JSONText.append(child.key.string.utf8.span, to: &writer.bytes)
                writer.append(writer.pretty ? ": " : ":")
                writer.write(child.value)
            }
        }
    }

    /// Returns the elements if the children are written as an array; nil otherwise.
    private static func arrayElements(of children: [TreeKey: TreeValue]) -> [TreeValue?]? {
        var elements: [TreeValue?] = []
        for (key, child) in children {
            guard let index = key.integer.map(Int.init), index >= 0, index < 2 * children.count,
                String(index) == key.string
            else { return nil }
            if index >= elements.count {
                elements.append(contentsOf: repeatElement(nil, count: index + 1 - elements.count))
            }
            elements[index] = child
        }
        return elements.isEmpty ? nil : elements
    }

    private mutating func list<Element>(
        _ open: String, _ elements: [Element], _ close: String, _ writeElement: (inout JSONWriter, Element) -> Void
    ) {
        append(open)
        level += 1
        for (index, element) in elements.enumerated() {
            if index > 0 { append(",") }
            breakLine()
            writeElement(&self, element)
        }
        level -= 1
        if !elements.isEmpty { breakLine() }
        append(close)
    }

    private mutating func breakLine() {
        guard pretty else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * level))
    }

    private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }
}
