import API
import ArgumentParser
import Foundation
import Uploads

/// Encodes old originals again, or deletes them, by a rule.
struct OriginalsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "originals",
        abstract: "Encode the originals of old posts again, or delete them.",
        usage: "tintype originals <subcommand> [<options>]",
        discussion: """
            The rule is given by --rule, or by the setting originals, which the service applies once a day. \
            "re-encode,q80,90d" replaces JPEGs of posts that are 90 days old by JPEGs of quality 80, if that makes them \
            smaller by a tenth or more; metadata of the camera is lost. "drop,365d" deletes originals of posts that are a \
            year old, if the post has intact renditions of all recipes. Replaced and deleted files are first kept for \
            the grace period (the setting grace-period). A run is a job of the service, and continues after restarts.

            EXAMPLES
              tintype originals plan --rule re-encode,q80,90d
              tintype originals run --rule drop,365d --user maria
              tintype originals status
            """,
        subcommands: [
            Runs.Plan.self, Runs.Start.self, Runs.Status.self, Runs.List.self, Runs.Pause.self, Runs.Resume.self,
            Runs.Cancel.self,
        ])

    private typealias Runs = RunCommands<Originals>
}

/// The action of a run, and the owner of its originals.
struct OriginalOptions: RunOrderOptions {
    @Option(
        help: ArgumentHelp(
            "The rule: re-encode,qN,Nd or drop,Nd (default: the setting originals).", valueName: "rule"))
    var rule: String?

    @Option(help: ArgumentHelp("Only this user's posts.", valueName: "user"))
    var user: String?

    @Option(help: ArgumentHelp("The number of posts to work on at the same time (default: 1).", valueName: "n"))
    var concurrency: Int?

    @Option(help: ArgumentHelp("The largest number of posts to check per second.", valueName: "n"))
    var limit: Int?

    func validate() throws {
        if let concurrency, !(1...64).contains(concurrency) {
            throw ValidationError("--concurrency is a number from 1 to 64")
        }
        if let limit, !(1...1_000_000).contains(limit) { throw ValidationError("--limit is a number of at least 1") }
        if let rule, OriginalRule(rule) == nil {
            throw ValidationError("--rule \(rule.prefix(80)): this is not \(OriginalRule.expectation)")
        }
    }

    var order: PostRunOrder {
        var order = PostRunOrder(user: user)
        (order.kind, order.rule) = (.originals, rule)
        (order.concurrency, order.limit) = (concurrency, limit)
        return order
    }
}

/// The runs over originals.
private enum Originals: RunKind {
    typealias PlanOptions = OriginalOptions
    typealias StartOptions = OriginalOptions

    static let kind = PostRunKind.originals
    static let planAbstract = "Show what a rule would change, and what it would keep."
    static let planDiscussion = """
        To estimate the number of bytes, some originals are encoded again, and the results are discarded. The \
        originals stay.

        EXAMPLES
          tintype originals plan --rule re-encode,q80,90d
          tintype originals plan --rule drop,365d --json
        """
    static let startDiscussion = """
        Ctrl-C pauses the run; "tintype originals resume" continues it. With --detach the command ends at once, and the \
        service continues the run. A run cannot be undone; "tintype originals plan" shows its effect in advance.

        EXAMPLES
          tintype originals run --rule re-encode,q80,90d
          tintype originals run --rule drop,365d --json
        """
    static let listedField = ".rule"

    static func check(_ jobs: PostRunsClient, _ settings: RunSettings) async throws {
        try await jobs.refuseFlags(of: settings)
    }

    static func printCounts(of plan: BatchPlanDocument) {
        let about = plan.sampled == nil ? "" : "about "
        Terminal.output(
            "\(about)\(plan.posts) of \(plan.total) posts that are old enough would be changed by \(plan.rule ?? "?")")
        if let now = plan.bytesNow {
            let after = plan.bytesAfter.map { "about \(ByteSize.text($0))" } ?? "an unknown size"
            Terminal.output("\(about)\(ByteSize.text(now)) of originals would become \(after)")
        }
        for (reason, count) in (plan.kept ?? [:]).sorted(by: { $0.key < $1.key }) {
            let words = OriginalObstacle(rawValue: reason)?.words ?? reason
            Terminal.output("\(about)\(count) originals stay: \(words)")
        }
    }
}

extension OriginalObstacle {
    /// The reason, in words for people.
    fileprivate var words: String {
        switch self {
        case .done: "they were changed before"
        case .bucket: "they are objects of the bucket"
        case .format: "they are not JPEGs"
        case .hardlySmaller: "they would be less than a tenth smaller"
        case .blurred: "moderation has blurred their renditions"
        case .unseenRun: "a run of tintype rethumb waits for its switch"
        case .renditionsMissing: "their posts lack renditions: tintype rethumb run renders them"
        case .renditionsSmall: "their renditions are too small"
        case .renditionsUnknown: "the checksums of their renditions are unknown: tintype store verify reads them"
        case .renditionsDamaged: "their renditions are damaged: tintype store repair renders them again"
        }
    }
}
