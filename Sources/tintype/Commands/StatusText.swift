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
        say("unfinished uploads", Self.unfinished(status.uploads))
        say("inbox", status.inbox.map { Self.count($0.files, "file") })
        say("batch job", status.batch.map { "\($0.kind.rawValue) \($0.line)" })
        say(
            "free space",
            status.freeSpace.map { "\(ByteSize.text($0.bytes)); \(ByteSize.text($0.reserve)) must stay free" })
        say("recipes", status.recipes.sorted { $0.key < $1.key }.map(\.value).joined(separator: " "))
        let updates = Self.count(status.tree.updates, "update")
        say("tree", "\(updates) in \(Self.count(status.tree.transactions, "transaction")) since the start")
        say("clean-up", Self.cleanUp(status.sweeps))
        say("deleted for their age", status.expired.map { Self.count($0, "post") })
        say("follow-up tasks", status.jobs.map(Self.jobs))
        say("unclaimed files", status.unclaimed.map(Self.unclaimed))
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
        status.queueSince.map { "\(count(status.queue, "upload")), the oldest for \(time(since: $0))" } ?? "none"
    }

    /// Returns the numbers of uploads that have not ended, by what they wait for; nil if there are none.
    private static func unfinished(_ uploads: [String: Int]) -> String? {
        let states = uploads.sorted { $0.key < $1.key }.filter { $0.value > 0 }.map { "\($1) \(words(of: $0))" }
        return states.isEmpty ? nil : states.joined(separator: "; ")
    }

    /// Returns words for the state of an unfinished upload; the state itself if only a later version knows it.
    private static func words(of state: String) -> String {
        switch UploadState(rawValue: state) {
        case .reserved: "without a photo yet"
        case .draft: "not sent yet (drafts)"
        case .receiving: "being received"
        case .ingested: "received, and being rendered or waiting for it"
        case .published, .deleted, .duplicate, .failed, .expired, nil: state
        }
    }

    private static func cleanUp(_ sweeps: StatusDocument.Sweeps) -> String {
        guard sweeps.status == .held else { return "on" }
        let reason = [sweeps.message, sweeps.hint].compactMap { $0 }.joined(separator: ". ")
        return "held: \(reason)" + (sweeps.code.map { " (\($0.rawValue))" } ?? "")
    }

    private static func unclaimed(_ posts: Int) -> String {
        posts == 0 ? "none" : "of \(count(posts, "post")) (tintype store unclaimed ls)"
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
