/// A display of progress on standard error: a bar that redraws itself on a terminal, an occasional line elsewhere.
struct ProgressBar {
    private let label: String
    private let isDrawn = Terminal.isInteractive
    private let started = ContinuousClock.now
    private var lastDrawn: ContinuousClock.Instant?
    /// The number of finished items in the last line that was written where nothing is redrawn.
    private var lastWritten = 0
    private static let linesEvery = 100

    /// Creates a display; `label` names the items.
    init(_ label: String) {
        self.label = label
    }

    /// Shows that `done` of `total` items are finished; `total` is nil when it is not known, and `note` is appended.
    mutating func update(_ done: Int, of total: Int?, note: String = "") {
        guard isDrawn else {
            guard done != lastWritten, done == total || done / Self.linesEvery != lastWritten / Self.linesEvery else {
                return
            }
            lastWritten = done
            return Terminal.note(text(done, total, note))
        }
        let now = ContinuousClock.now
        if done != total, let lastDrawn, now - lastDrawn < .milliseconds(100) { return }
        lastDrawn = now
        Terminal.draw((total.map { bar(done, $0) + " " } ?? "") + text(done, total, note))
    }

    /// Ends the line; the last state stays visible.
    func finish() {
        Terminal.endLine()
    }

    private func bar(_ done: Int, _ total: Int) -> String {
        let filled = total == 0 ? 20 : 20 * done / total
        return "[" + String(repeating: "█", count: filled) + String(repeating: "·", count: 20 - filled) + "]"
    }

    private func text(_ done: Int, _ total: Int?, _ note: String) -> String {
        let elapsed = (ContinuousClock.now - started) / Duration.seconds(1)
        var text = "\(done)\(total.map { "/\($0)" } ?? "") \(label)"
        if let total, total > 0 { text += " (\(min(100, 100 * done / total)) %)" }
        if done > 0, elapsed > 0.5 {
            let rate = Double(done) / elapsed
            text += ", \((rate * 10).rounded() / 10)/s"
            if let total, done < total { text += ", \(Self.time(Double(total - done) / rate)) left" }
        }
        return note.isEmpty ? text : "\(text), \(note)"
    }

    private static func time(_ seconds: Double) -> String {
        let seconds = Int(seconds.rounded(.up))
        return seconds < 60 ? "\(seconds) s" : seconds < 3600 ? "\(seconds / 60) min" : "\(seconds / 3600) h"
    }
}
