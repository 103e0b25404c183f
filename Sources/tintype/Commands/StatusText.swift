import API
import Foundation

/// The service's status for people: one line for each subject, with units.
struct StatusText {
    private(set) var lines: [String] = []

    init(_ status: StatusDocument) {
        say("version", status.version)
        say("uploads", Self.intake(status.intake))
        say(
            "since the start",
            "\(status.published) published, \(status.duplicates) duplicates, \(status.failed) failed")
        say("waiting", Self.waiting(status))
        say("inbox", status.inbox.map { Self.count($0.files, "file") })
        say("batch job", status.batch.map { "\($0.kind.rawValue) \($0.line)" })
        say("free space", status.freeSpace.map { "\(Self.size($0.bytes)); \(Self.size($0.reserve)) must stay free" })
        say("recipes", status.recipes.sorted { $0.key < $1.key }.map(\.value).joined(separator: " "))
        let updates = Self.count(status.tree.updates, "update")
        say("tree", "\(updates) in \(Self.count(status.tree.transactions, "transaction"))")
        say("sweeps, code", status.sweeps.code?.rawValue)
        say("sweeps, hint", status.sweeps.hint)
        say("sweeps, message", status.sweeps.message)
        say("sweeps, status", status.sweeps.status.rawValue)
        say("expired", status.expired.map { Self.count($0, "post") })
        say("jobs", status.jobs.map(Self.jobs))
        say("unclaimed", status.unclaimed.map { "\($0)" })
        say("last check", status.audits?.check.map(Self.audit))
        say("last verification", status.audits?.verify.map(Self.audit))
    }

    private mutating func say(_ subject: String, _ text: String?) {
        if let text { lines.append("\(subject): \(text)") }
    }

    private static func intake(_ intake: ReadinessDocument) -> String {
        guard intake.status != .ready else { return "taken" }
        let reason = [intake.message, intake.hint].compactMap { $0 }.joined(separator: ". ")
        return "\(intake.status.rawValue) for \(time(since: intake.since ?? 0)): \(reason)"
    }

    private static func waiting(_ status: StatusDocument) -> String {
        let oldest = status.queueSince.map { "\(status.queue), the oldest for \(time(since: $0))" }
        let uploads = status.uploads.sorted { $0.key < $1.key }.filter { $0.value > 0 }
        return ([oldest ?? "none"] + uploads.map { "\($0.value) \($0.key)" }).joined(separator: "; ")
    }

    private static func jobs(_ jobs: StatusDocument.Jobs) -> String {
        let failing = jobs.failing > 0 ? ", \(jobs.failing) of them failing" : ""
        return "\(jobs.waiting) waiting\(failing), the oldest for \(time(since: jobs.since))"
    }

    private static func audit(_ result: StoreCheckResultDocument) -> String {
        let findings = result.findings.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        return "\(time(since: result.endedAt)) ago: "
            + (findings.isEmpty ? "all is well" : findings.joined(separator: ", ") + " (tintype store check)")
    }

    // MARK: - Units

    static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }

    /// Returns a number of bytes in the largest fitting unit, such as "63.9 GiB".
    static func size(_ bytes: Int) -> String {
        var (amount, unit) = (Double(bytes), "bytes")
        for larger in ["KiB", "MiB", "GiB", "TiB", "PiB"] where amount >= 1024 {
            (amount, unit) = (amount / 1024, larger)
        }
        return unit == "bytes" ? "\(bytes) bytes" : "\((amount * 10).rounded() / 10) \(unit)"
    }

    /// Returns the time since a moment, which is given in milliseconds since the epoch.
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
