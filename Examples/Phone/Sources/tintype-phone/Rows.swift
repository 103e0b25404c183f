/// A row of the screen, from left to right.
typealias Row = [Span]

/// A piece of a row. Its text is always safe to show: all that reaches the terminal passes through here.
struct Span: Equatable {
    enum Style: Equatable {
        case plain, bold, faint, red, yellow, green, inverse
        /// Two pixels, one above the other.
        case pixels(Pixel, Pixel)
    }

    let text: String
    let style: Style

    init(_ text: String, _ style: Style = .plain) { (self.text, self.style) = (text.printable, style) }
}

extension Row {
    /// The row as text alone.
    var plainText: String { map(\.text).joined() }

    /// The number of columns.
    var columnCount: Int { reduce(0) { $0 + $1.text.columnCount } }

    /// The row with its end cut off if it is too wide.
    func shortened(to width: Int) -> Row {
        var (result, rest): (Row, Int) = ([], width)
        for span in self {
            let text = span.text.shortened(to: rest)
            result.append(Span(text, span.style))
            rest -= text.columnCount
            if text != span.text { break }
        }
        return result
    }

    /// The row with another one at the right end of the screen, or as much of both as fits.
    func with(trailing other: Row, width: Int) -> Row {
        let left = shortened(to: Swift.max(0, width - other.columnCount - 1))
        let gap = Swift.max(1, width - left.columnCount - other.columnCount)
        return (left + [Span(String(repeating: " ", count: gap))] + other).shortened(to: width)
    }

    /// The row as bytes for the terminal.
    func ansi(isTrueColor: Bool) -> String {
        var (result, column) = ("", 1)
        for span in self {
            result += "\u{1B}[" + span.style.code(isTrueColor) + "m" + span.text + "\u{1B}[0m"
            column += span.text.columnCount
            // Terminals do not agree on the width of every emoji: what follows begins where it should in any case.
            if !span.text.utf8.allSatisfy({ $0 < 128 }) { result += "\u{1B}[\(column)G" }
        }
        return result
    }
}

extension Span.Style {
    fileprivate func code(_ isTrueColor: Bool) -> String {
        switch self {
        case .plain: "0"
        case .bold: "1"
        case .faint: "2"
        case .red: "31"
        case .yellow: "33"
        case .green: "32"
        case .inverse: "7"
        case .pixels(let top, let bottom): "38;\(top.code(isTrueColor));48;\(bottom.code(isTrueColor))"
        }
    }
}

/// A colour, with parts from 0 to 255.
struct Pixel: Equatable {
    var red: Int
    var green: Int
    var blue: Int

    /// The colour for the terminal: exactly, or as one of 216.
    fileprivate func code(_ isTrueColor: Bool) -> String {
        if isTrueColor { return "2;\(red);\(green);\(blue)" }
        let steps = [red, green, blue].map { ($0 * 5 + 127) / 255 }
        return "5;\(16 + 36 * steps[0] + 6 * steps[1] + steps[2])"
    }
}
