extension String {
    /// The number of a terminal's columns that the text takes up.
    var terminalWidth: Int { reduce(0) { $0 + $1.terminalWidth } }

    /// Returns the text, or its beginning with an ellipsis if it is wider than a number of columns.
    func cut(toTerminalWidth limit: Int) -> String {
        guard terminalWidth > limit else { return self }
        var (start, width) = ("", 1)
        for character in self {
            width += character.terminalWidth
            guard width <= limit else { break }
            start.append(character)
        }
        return start + "…"
    }
}

extension Character {
    /// The blocks of scalars that Unicode's `EastAsianWidth.txt` lists as wide or full-width, apart from emoji.
    private static let wideBlocks: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60,
        0xFFE0...0xFFE6, 0x16FE0...0x18CFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x3FFFD,
    ]
    /// The selector that asks for the picture of a character, and not for its sign.
    private static let emojiSelector: Unicode.Scalar = "\u{FE0F}"

    /// The number of a terminal's columns that the character takes up: 0, 1 or 2.
    fileprivate var terminalWidth: Int {
        guard let first = unicodeScalars.first else { return 0 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        let isWide =
            first.properties.isEmojiPresentation || unicodeScalars.contains(Self.emojiSelector)
            || Self.wideBlocks.contains { $0.contains(first.value) }
        return isWide ? 2 : 1
    }
}
