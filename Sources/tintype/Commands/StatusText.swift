import Foundation

/// The service's status for people: one line for each subject, with units.
struct StatusText {
    private(set) var lines: [String] = []
    private var rest: [String: Any]

    /// Reads the document of `/v1/status`; fields that are not known here come last, under their own names.
    init(_ document: [String: Any]) {
        rest = document
        say("version", take("version"))
        say("uploads", intake())
        let counts = ["published", "duplicates", "failed"].map { "\(number(take($0))) \($0)" }
        say("since the start", counts.joined(separator: ", "))
        say("waiting", waiting())
        if let inbox = take("inbox") as? [String: Any] { say("inbox", Self.count(number(inbox["files"]), "file")) }
        say("re-thumbnailing", rethumbnailing())
        if let space = take("free_space") as? [String: Any] {
            let (bytes, reserve) = (number(space["bytes"]), number(space["reserve"]))
            say("free space", "\(Self.size(bytes)); \(Self.size(reserve)) have to stay free")
        }
        if let recipes = take("recipes") as? [String: Any] {
            say("recipes", recipes.keys.sorted().map { "\(recipes[$0] ?? "")" }.joined(separator: " "))
        }
        if let tree = take("tree") as? [String: Any] {
            let updates = Self.count(number(tree["updates"]), "update")
            say("tree", "\(updates) in \(Self.count(number(tree["transactions"]), "transaction"))")
        }
        for (name, value) in rest.sorted(by: { $0.key < $1.key }) { sayAsIs(name, value) }
    }

    private mutating func take(_ name: String) -> Any? { rest.removeValue(forKey: name) }

    private func number(_ value: Any?) -> Int64 { (value as? NSNumber)?.int64Value ?? 0 }

    private mutating func say(_ subject: String, _ text: Any?) {
        if let text { lines.append("\(subject): \(text)") }
    }

    private mutating func sayAsIs(_ name: String, _ value: Any) {
        let subject = name.replacingOccurrences(of: "_", with: " ")
        guard let fields = value as? [String: Any] else { return say(subject, value) }
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) { sayAsIs("\(subject), \(name)", value) }
    }

    private mutating func intake() -> String? {
        guard let intake = take("intake") as? [String: Any], let status = intake["status"] as? String else {
            return nil
        }
        guard status != "ready" else { return "taken" }
        let reason = [intake["message"], intake["hint"].map { "(\($0))" }].compactMap { $0 }
        let words = reason.map { "\($0)" }.joined(separator: " ")
        return "\(status) for \(Self.time(since: number(intake["since"]))): \(words)"
    }

    private mutating func waiting() -> String? {
        let queue = number(take("queue"))
        let since = take("queue_since")
        var words = [since == nil ? "none" : "\(queue), the oldest for \(Self.time(since: number(since)))"]
        if let uploads = take("uploads") as? [String: Any] {
            words += uploads.keys.sorted().filter { number(uploads[$0]) > 0 }.map { "\(number(uploads[$0])) \($0)" }
        }
        return words.joined(separator: "; ")
    }

    private mutating func rethumbnailing() -> String? {
        guard let job = take("rethumb") as? [String: Any] else { return nil }
        let done = "\(number(job["done"])) of \(Self.count(number(job["total"]), "post"))"
        return "\(done) checked, \(number(job["switched"])) switched, \(number(job["failed"])) failed"
    }

    // MARK: - Units

    private static func count(_ number: Int64, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }

    /// A number of bytes in the largest fitting unit, such as "63.9 GiB".
    static func size(_ bytes: Int64) -> String {
        var (amount, unit) = (Double(bytes), "bytes")
        for larger in ["KiB", "MiB", "GiB", "TiB", "PiB"] where amount >= 1024 {
            (amount, unit) = (amount / 1024, larger)
        }
        return unit == "bytes" ? "\(bytes) bytes" : "\((amount * 10).rounded() / 10) \(unit)"
    }

    /// The time since a moment, which is given in milliseconds since the epoch.
    private static func time(since moment: Int64) -> String {
        let seconds = max(0, Int(Date.now.timeIntervalSince1970 - Double(moment) / 1000))
        return switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3600: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3600) h"
        default: "\(seconds / 86400) days"
        }
    }
}
