/// Breaks compact JSON into lines, indented by two spaces.
enum JSONIndenter {
    static func indent(_ json: [UInt8]) -> [UInt8] {
        var pretty: [UInt8] = []
        pretty.reserveCapacity(json.count * 2)
        var level = 0
        var isInString = false
        var isEscaped = false
        func breakLine() {
            pretty.append(UInt8(ascii: "\n"))
            pretty.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * level))
        }
        for (index, byte) in json.enumerated() {
            if isInString {
                pretty.append(byte)
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                pretty.append(byte)
                let isEmpty = index + 1 < json.count && (json[index + 1] == byte + 2)
                guard !isEmpty else { continue }
                level += 1
                breakLine()
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                let isEmpty = index > 0 && json[index - 1] == byte - 2
                if !isEmpty {
                    level -= 1
                    breakLine()
                }
                pretty.append(byte)
            case UInt8(ascii: ","):
                pretty.append(byte)
                breakLine()
            case UInt8(ascii: ":"):
                pretty.append(byte)
                pretty.append(UInt8(ascii: " "))
            default:
                if byte == UInt8(ascii: "\"") { isInString = true }
                pretty.append(byte)
            }
        }
        return pretty
    }
}
