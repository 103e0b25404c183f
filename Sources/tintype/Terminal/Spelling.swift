/// Suggestions for unknown words.
enum Spelling {
    /// Returns the known word that is closest to a word; nil when none is close enough.
    static func suggestion(for word: String, among known: [String]) -> String? {
        let nearest = known.map { ($0, distance(word, $0)) }.min { $0.1 < $1.1 }
        guard let (name, distance) = nearest, distance <= max(1, word.count / 3) else { return nil }
        return name
    }

    /// Returns the number of insertions, deletions, replacements and swaps of neighbours that turn one word into the
    /// other (optimal string alignment distance).
    static func distance(_ one: String, _ other: String) -> Int {
        let (a, b) = (Array(one), Array(other))
        var rows = [Array(0...b.count)]
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                let replaced = rows[i][j] + (a[i] == b[j] ? 0 : 1)
                var cost = min(rows[i][j + 1] + 1, row[j] + 1, replaced)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, rows[i - 1][j - 1] + 1) }
                row.append(cost)
            }
            rows.append(row)
        }
        return rows[a.count][b.count]
    }
}
