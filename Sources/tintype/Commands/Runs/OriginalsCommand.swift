import API
import ArgumentParser
import Foundation
import Uploads

/// Encodes old originals again, or drops them, by a rule.
struct OriginalsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "originals",
        abstract: "Encode the originals of old posts again, or drop them.",
        usage: "tintype originals <subcommand> [<options>]",
        discussion: """
            The rule is that of the setting originals, by which the service does this once a day, or that after --rule. \
            "re-encode,q80,90d" replaces JPEGs of posts that are 90 days old by JPEGs of the quality 80, where that makes them \
            a tenth smaller at least; what a camera wrote beside the pixels goes. "drop,365d" deletes originals of posts that \
            are a year old, where the post shows renditions of all recipes, and their bytes are as they were made. What goes \
            stays for grace-period first. A run is a job of the service, and goes on over restarts.

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
            "What to do: re-encode,qN,Nd or drop,Nd (default: the setting originals).", valueName: "rule"))
    var rule: String?

    @Option(help: ArgumentHelp("Only this person's posts.", valueName: "user"))
    var user: String?

    @Option(help: ArgumentHelp("Work on so many posts side by side (default: 1).", valueName: "n"))
    var concurrency: Int?

    @Option(help: ArgumentHelp("Look at so many posts in a second at most.", valueName: "n"))
    var limit: Int?

    func validate() throws {
        if let concurrency, !(1...64).contains(concurrency) {
            throw ValidationError("--concurrency is a number from 1 to 64")
        }
        if let limit, !(1...1_000_000).contains(limit) { throw ValidationError("--limit is a number of at least 1") }
        if let rule, OriginalRule(rule) == nil {
            throw ValidationError("--rule \(rule.prefix(80)): that is not \(OriginalRule.expectation)")
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
    static let planAbstract = "Tell what a rule would do, and what it would leave alone."
    static let planDiscussion = """
        Some originals are encoded again, and thrown away, to tell how many bytes there would be.

        EXAMPLES
          tintype originals plan --rule re-encode,q80,90d
          tintype originals plan --rule drop,365d --json
        """
    static let startDiscussion = """
        Ctrl-C pauses the run; "tintype originals resume" goes on with it. With --detach the command ends at once, and \
        the service goes on. What a run has done cannot be taken back; "tintype originals plan" tells it before.

        EXAMPLES
          tintype originals run --rule re-encode,q80,90d
          tintype originals run --rule drop,365d --json
        """
    static let listedField = ".rule"

    /// Does nothing: a run's rule is a part of its order.
    static func check(_ jobs: PostRunsClient, _ settings: SettingOptions) {}

    static func printCounts(of plan: BatchPlanDocument) {
        let about = plan.sampled == nil ? "" : "about "
        Terminal.output(
            "\(about)\(plan.posts) of \(plan.total) posts that are old enough would be changed by \(plan.rule ?? "?")")
        if let now = plan.bytesNow {
            let after = plan.bytesAfter.map { "about \(StatusText.size($0))" } ?? "nobody knows how much"
            Terminal.output("\(about)\(StatusText.size(now)) of originals would become \(after)")
        }
        for (reason, count) in (plan.kept ?? [:]).sorted(by: { $0.key < $1.key }) {
            let words = OriginalObstacle(rawValue: reason)?.words ?? reason
            Terminal.output("\(about)\(count) originals stay: \(words)")
        }
    }
}

extension OriginalObstacle {
    /// The reason, for people.
    fileprivate var words: String {
        switch self {
        case .done: "they were changed before"
        case .bucket: "they are photos of the bucket"
        case .format: "they are no JPEGs"
        case .hardlySmaller: "they would become less than a tenth smaller"
        case .blurred: "moderation had their renditions blurred"
        case .unseenRun: "a run of tintype rethumb waits for its switch"
        case .renditionsMissing: "their posts lack renditions: tintype rethumb run makes them"
        case .renditionsSmall: "their renditions are too small"
        case .renditionsUnknown: "nobody knows the bytes of their renditions: tintype verify reads them"
        case .renditionsDamaged: "their renditions are damaged: tintype repair makes them anew"
        }
    }
}
