import Foundation

/// The rules for texts and addresses that an operator gives to the service, and that appear in pages and messages.
package enum SiteText {
    /// The fault of a text: words that follow the name of its setting.
    package struct Fault: Error, CustomStringConvertible {
        package let description: String
    }

    /// The largest number of characters in a name.
    package static let maxNameLength = 60
    /// The largest number of characters in a description.
    package static let maxDescriptionLength = 300
    private static let maxAddressLength = 2000

    /// Returns a text of one line, without the white space around it.
    ///
    /// - Parameter maxLength: The largest number of characters (Unicode scalars).
    /// - Throws: ``Fault`` for a text that is empty or too long, and for one with control characters or with marks that
    ///   reverse the text around it.
    package static func line(_ text: String, maxLength: Int) throws(Fault) -> String {
        let text = text.trimmingCharacters(in: .whitespaces)
        let length = text.unicodeScalars.count
        guard length > 0 else { throw Fault(description: "it is empty; write 1 to \(maxLength) characters") }
        guard length <= maxLength else {
            throw Fault(description: "it has \(length) characters; write at most \(maxLength)")
        }
        if let scalar = text.unicodeScalars.first(where: isRefused) {
            let digits = String(scalar.value, radix: 16, uppercase: true)
            let number = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
            throw Fault(description: "it contains the control character U+\(number); leave it out, and use one line")
        }
        return text
    }

    /// Whether a scalar ends a line, controls a terminal, or changes the direction of the text around it (UAX #9).
    private static func isRefused(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
        }
    }

    /// Returns an address of a page in the form for links; nil for anything but an http or https address, and a path
    /// that begins with one slash.
    package static func address(_ text: String) -> String? {
        guard text.utf8.count <= maxAddressLength,
            text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F && $0 != "\\" && !isRefused($0) }),
            let parts = URLComponents(string: text), parts.user == nil, parts.password == nil
        else { return nil }
        if let scheme = parts.scheme?.lowercased() {
            guard ["http", "https"].contains(scheme), parts.host?.isEmpty == false else { return nil }
        } else {
            guard text.hasPrefix("/"), !text.hasPrefix("//"), parts.host == nil else { return nil }
        }
        return parts.string
    }
}
