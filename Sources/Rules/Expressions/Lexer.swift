/// Splits a text into the tokens of the rules' language, with the strings and the numbers of JavaScript.
struct Lexer {
    let bytes: [UInt8]
    /// Whether `//` and `/*` begin comments; in expressions of database rules they begin regular expressions.
    let hasComments: Bool
    var position = 0

    init(_ text: String, hasComments: Bool = false) {
        bytes = Array(text.utf8)
        self.hasComments = hasComments
    }

    /// Returns the text of a range of bytes.
    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// Reads the next token.
    mutating func next() throws(ExpressionError) -> Token {
        try skipSpace()
        let start = position
        guard let byte = peek() else { return Token(kind: .end, range: start..<start) }
        let kind: Token.Kind
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "\""):
            kind = .string(try readString(quote: byte))
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            kind = try readNumber()
        case UInt8(ascii: ".") where peek(1).map(Self.isDigit) == true:
            kind = try readNumber()
        case _ where Self.isNamePart(byte):
            while let byte = peek(), Self.isNamePart(byte) { position += 1 }
            kind = .name(text(start..<position))
        default:
            kind = .symbol(try readSymbol())
        }
        return Token(kind: kind, range: start..<position)
    }

    private func peek(_ distance: Int = 0) -> UInt8? {
        position + distance < bytes.count ? bytes[position + distance] : nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x80...: true
        case UInt8(ascii: "_"), UInt8(ascii: "$"): true
        default: isDigit(byte)
        }
    }

    // MARK: Space and symbols

    private mutating func skipSpace() throws(ExpressionError) {
        while let byte = peek() {
            switch (byte, peek(1)) {
            case (0x20, _), (0x09...0x0D, _):
                position += 1
            case (UInt8(ascii: "/"), UInt8(ascii: "/")?) where hasComments:
                while let byte = peek(), byte != UInt8(ascii: "\n") { position += 1 }
            case (UInt8(ascii: "/"), UInt8(ascii: "*")?) where hasComments:
                try skipComment()
            default:
                return
            }
        }
    }

    private mutating func skipComment() throws(ExpressionError) {
        let start = position
        position += 2
        while peek() != UInt8(ascii: "*") || peek(1) != UInt8(ascii: "/") {
            guard position < bytes.count else { throw ExpressionError("A comment has no end.", at: start) }
            position += 1
        }
        position += 2
    }

    private mutating func readSymbol() throws(ExpressionError) -> Symbol {
        for (symbol, spelling) in Symbol.spellings where bytes[position...].starts(with: spelling) {
            position += spelling.count
            return symbol
        }
        throw ExpressionError("Unexpected character '\(Character(UnicodeScalar(bytes[position])))'.", at: position)
    }

    // MARK: Numbers

    /// Reads a number: decimal, with fraction and exponent, or hexadecimal.
    private mutating func readNumber() throws(ExpressionError) -> Token.Kind {
        let start = position
        if peek() == UInt8(ascii: "0"), let x = peek(1), x | 0x20 == UInt8(ascii: "x") {
            position += 2
            while let byte = peek(), Character(UnicodeScalar(byte)).isHexDigit { position += 1 }
            let magnitude = UInt64(text(start + 2..<position), radix: 16)
            guard let magnitude, !endsInName() else { throw ExpressionError("Invalid number.", at: start) }
            return .number(Double(magnitude), isWhole: true)
        }
        skipDigits()
        let wholeEnd = position
        if peek() == UInt8(ascii: ".") {
            position += 1
            skipDigits()
        }
        if let e = peek(), e | 0x20 == UInt8(ascii: "e") {
            position += 1
            if let sign = peek(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { position += 1 }
            skipDigits()
        }
        var digits = text(start..<position)
        if digits.hasPrefix(".") { digits = "0" + digits }
        guard position - start <= 400, let double = Double(digits.replacingLast(".", by: ".0")), !endsInName() else {
            throw ExpressionError("Invalid number.", at: start)
        }
        return .number(double, isWhole: position == wholeEnd)
    }

    private mutating func skipDigits() { while let byte = peek(), Self.isDigit(byte) { position += 1 } }

    private func endsInName() -> Bool { peek().map(Self.isNamePart) ?? false }
}

extension String {
    fileprivate func replacingLast(_ suffix: String, by other: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) + other : self
    }
}
