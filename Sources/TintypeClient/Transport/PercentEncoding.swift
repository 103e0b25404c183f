/// Percent-encoding for addresses and forms.
enum PercentEncoding {
    /// Returns a text in which all bytes but unreserved characters are percent-encoded (RFC 3986 §2.3).
    static func encode(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let hex = String(byte, radix: 16, uppercase: true)
                result += hex.utf8.count == 1 ? "%0\(hex)" : "%\(hex)"
            }
        }
        return result
    }

    /// Returns a form (`application/x-www-form-urlencoded`), in the order of the names.
    static func form(_ fields: [String: String]) -> String {
        fields.sorted { $0.key < $1.key }.map { "\(encode($0.key))=\(encode($0.value))" }.joined(separator: "&")
    }
}
