/// Texts as a terminal can show them. They come from other people, so they may contain anything.
extension String {
    /// The text without what a terminal would obey or reorder instead of showing it: each control character, such as the
    /// beginning of an escape sequence, becomes a `�`; marks of direction and invisible characters are left out.
    var printable: String {
        var result = ""
        for character in self {
            // A base with hundreds of accents would cover the rows above and below it.
            for scalar in character.unicodeScalars.prefix(12) {
                switch scalar.properties.generalCategory {
                case .control: result.unicodeScalars.append(scalar == "\t" || scalar.isNewline ? " " : "\u{FFFD}")
                case .lineSeparator, .paragraphSeparator: result.append(" ")
                case .surrogate, .privateUse, .unassigned: result.append("\u{FFFD}")
                // Emoji and some scripts are joined by these two.
                case .format where scalar != "\u{200C}" && scalar != "\u{200D}": break
                default: result.unicodeScalars.append(scalar)
                }
            }
        }
        return result
    }

    /// The number of columns that the text takes in a terminal.
    var columnCount: Int { reduce(0) { $0 + $1.columnCount } }

    /// The text, or its beginning and a `…` if it takes more columns.
    func shortened(to width: Int) -> String {
        guard columnCount > width else { return self }
        guard width > 0 else { return "" }
        var (result, count) = ("", 0)
        for character in self {
            count += character.columnCount
            if count > width - 1 { break }
            result.append(character)
        }
        return result + "…"
    }

    /// The lines of the text, none wider than a number of columns. Lines end at spaces where they can.
    func wrapped(to width: Int) -> [String] {
        // CR LF is one character, and one end of a line.
        split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .flatMap { Self.wrapped(String($0).printable, max(2, width)) }
    }

    private static func wrapped(_ text: String, _ width: Int) -> [String] {
        var lines: [String] = []
        var (line, count) = ("", 0)
        func end(_ part: String) { lines.append(part) }
        for word in text.split(separator: " ") {
            let gap = line.isEmpty ? 0 : 1
            if count + gap + String(word).columnCount <= width {
                line += (gap == 1 ? " " : "") + word
                count += gap + String(word).columnCount
                continue
            }
            if !line.isEmpty { end(line) }
            (line, count) = ("", 0)
            for character in word {
                if count + character.columnCount > width {
                    end(line)
                    (line, count) = ("", 0)
                }
                line.append(character)
                count += character.columnCount
            }
        }
        return lines + [line]
    }
}

extension Character {
    /// The number of columns: two for most emoji and for East Asian characters, none for a mark without a base.
    var columnCount: Int {
        guard let first = unicodeScalars.first else { return 0 }
        let isEmoji = first.properties.isEmojiPresentation
        let looksLikeEmoji = first.properties.isEmoji && unicodeScalars.contains("\u{FE0F}")
        if isEmoji || looksLikeEmoji || first.isWide { return 2 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return 1
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isNewline: Bool { self == "\n" || self == "\r" }

    /// Whether it is wide by Unicode's table of East Asian widths; emoji are found by their own property.
    fileprivate var isWide: Bool {
        switch value {
        case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
            0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
            0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
