import API

/// Rows of words in aligned columns below headings.
///
/// The pages of a list are one table: its columns are never narrower than on the pages before. Control characters are
/// escaped. On a terminal, texts are cut so that a line fits; elsewhere nothing is cut. The headings are for people, and
/// therefore on standard error: a script that reads the table gets rows alone.
struct TextTable {
    /// A column, by its heading.
    enum Column {
        /// Aligned to the left, and always whole: an id or a time.
        case whole(String)
        /// Aligned to the right, and always whole.
        case number(String)
        /// Aligned to the left, and cut where the line would not fit: a name or a text.
        case text(String)

        fileprivate var heading: String {
            switch self {
            case .whole(let heading), .number(let heading), .text(let heading): heading
            }
        }

        fileprivate var isNumber: Bool { if case .number = self { true } else { false } }
        fileprivate var isText: Bool { if case .text = self { true } else { false } }
    }

    /// The narrowest column that a text is cut to.
    private static let narrowest = 8
    /// The widest column for which others are padded when nothing is cut: one long text moves no other row.
    private static let widestPadding = 40

    private let columns: [Column]
    /// The number of columns of characters of the terminal; nil for no limit.
    private let limit: Int?
    /// The greatest width of each column so far.
    private var widths: [Int]
    private var hasHeadings = false

    /// Creates an empty table.
    init(_ columns: [Column], limit: Int? = Terminal.width) {
        (self.columns, self.limit) = (columns, limit)
        widths = columns.map(\.heading.terminalWidth)
    }

    /// Prints further rows, the first below the headings. A row has a cell for each column; later cells may be missing.
    mutating func print(_ rows: [[String]]) {
        guard !rows.isEmpty else { return }
        let rows = rows.map { $0.map { $0.oneLine.printable } }
        for row in rows {
            for (column, cell) in zip(columns.indices, row) { widths[column] = max(widths[column], cell.terminalWidth) }
        }
        let widths = fittingWidths()
        if !hasHeadings { Terminal.note(line(columns.map(\.heading), widths)) }
        hasHeadings = true
        for row in rows { Terminal.output(line(row, widths)) }
    }

    private func line(_ row: [String], _ widths: [Int]) -> String {
        let cells = zip(columns.indices, row).map { column, cell in
            let cell = limit != nil && columns[column].isText ? cell.cut(toTerminalWidth: widths[column]) : cell
            let padding = String(repeating: " ", count: max(0, widths[column] - cell.terminalWidth))
            return columns[column].isNumber ? padding + cell : cell + padding
        }
        let line = cells.joined(separator: "  ")
        return String(line.prefix(line.count - line.reversed().prefix { $0 == " " }.count))
    }

    /// Returns the widths of the columns after the widest texts have been narrowed, as far as the limit requires.
    private func fittingWidths() -> [Int] {
        var widths = widths
        let texts = columns.indices.filter { columns[$0].isText }
        guard let limit else {
            for column in texts { widths[column] = min(widths[column], Self.widestPadding) }
            return widths
        }
        var excess = widths.reduce(2 * (columns.count - 1), +) - limit
        while excess > 0, let widest = texts.max(by: { widths[$0] < widths[$1] }), widths[widest] > Self.narrowest {
            widths[widest] -= 1
            excess -= 1
        }
        return widths
    }
}
