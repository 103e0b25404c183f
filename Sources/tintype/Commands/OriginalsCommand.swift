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
        subcommands: [Plan.self, Run.self, Status.self, List.self, Pause.self, Resume.self, Cancel.self])
}

/// What a run does, and with whose originals.
struct OriginalOptions: ParsableArguments {
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

    var order: JobOrder {
        var order = JobOrder(user: user)
        (order.kind, order.rule) = (.originals, rule)
        (order.concurrency, order.limit) = (concurrency, limit)
        return order
    }
}

extension OriginalsCommand {
    struct Plan: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "plan",
            abstract: "Tell what a rule would do, and what it would leave alone.",
            usage: "tintype originals plan [<options>]",
            discussion: """
                Some originals are encoded again, and thrown away, to tell how many bytes there would be.

                EXAMPLES
                  tintype originals plan --rule re-encode,q80,90d
                  tintype originals plan --rule drop,365d --json
                """)

        @OptionGroup var settings: SettingOptions
        @OptionGroup var options: OriginalOptions

        @Flag(help: "Print one JSON document.")
        var json = false

        func run() async throws {
            let order = options.order
            let plan = try await settings.storage.withJobs(settings) { try await $0.plan(order) }
            if json { return Terminal.outputJSON(plan) }
            let about = plan.sampled == nil ? "" : "about "
            Terminal.output(
                "\(about)\(plan.posts) of \(plan.total) posts that are old enough would be changed by \(plan.rule ?? "?")"
            )
            if let now = plan.bytesNow {
                let after = plan.bytesAfter.map { "about \(StatusText.size($0))" } ?? "nobody knows how much"
                Terminal.output("\(about)\(StatusText.size(now)) of originals would become \(after)")
            }
            for (reason, count) in (plan.kept ?? [:]).sorted(by: { $0.key < $1.key }) {
                let words = OriginalObstacle(rawValue: reason)?.words ?? reason
                Terminal.output("\(about)\(count) originals stay: \(words)")
            }
            if let seconds = plan.seconds {
                Terminal.output("about \(Duration.seconds(seconds).formatted(.units())) of work")
            }
            if let sampled = plan.sampled { Terminal.note("estimated by \(sampled) posts") }
        }
    }

    struct Run: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "run",
            abstract: "Begin a run, and follow it to its end.",
            usage: "tintype originals run [<options>]",
            discussion: """
                Ctrl-C pauses the run; "tintype originals resume" goes on with it. With --detach the command ends at once, and \
                the service goes on. What a run has done cannot be taken back; "tintype originals plan" tells it before.

                EXAMPLES
                  tintype originals run --rule re-encode,q80,90d
                  tintype originals run --rule drop,365d --json
                """)

        @OptionGroup var settings: SettingOptions
        @OptionGroup var options: OriginalOptions

        @Flag(help: "Begin, print the run's id, and leave the rest to the service.")
        var detach = false

        @Flag(help: "Print one JSON document for each step.")
        var json = false

        func run() async throws {
            let order = options.order
            try await settings.storage.withJobs(settings) { jobs in
                if detach, case .local = jobs {
                    throw ValidationError("no service runs that could go on: leave --detach out, or start it")
                }
                let job = try await jobs.begin(order)
                if detach { return json ? Terminal.outputJSON(job) : Terminal.output(job.id) }
                if !json { Terminal.note("run \(job.id)") }
                try await JobFollower(jobs: jobs, isJSON: json, kind: .originals).follow(job.id)
            }
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Tell how far a run is.",
            usage: "tintype originals status [<run>] [--json]",
            discussion: """
                EXAMPLES
                  tintype originals status
                  tintype originals status --json | jq .seconds_left
                """)

        @OptionGroup var options: RunOptions

        func run() async throws { try await options.tell(of: .originals) }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the runs, the newest first.",
            usage: "tintype originals list [--json] [<options>]",
            discussion: """
                EXAMPLES
                  tintype originals list
                  tintype originals list --json | jq -r .rule
                """)

        @OptionGroup var settings: SettingOptions

        @Flag(help: "Print one JSON document for each run.")
        var json = false

        func run() async throws { try await settings.listRuns(of: .originals, asJSON: json) }
    }

    struct Pause: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "pause", abstract: "Have a run wait.", usage: "tintype originals pause [<run>] [--json]",
            discussion: """
                EXAMPLES
                  tintype originals pause
                """)

        @OptionGroup var options: RunOptions

        func run() async throws {
            try await options.change(.pause, in: [.running], follows: false, kind: .originals)
        }
    }

    struct Resume: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "resume", abstract: "Go on with a run, and follow it.",
            usage: "tintype originals resume [<run>] [--json]",
            discussion: """
                EXAMPLES
                  tintype originals resume
                """)

        @OptionGroup var options: RunOptions

        func run() async throws {
            try await options.change(.resume, in: [.paused, .running], follows: true, kind: .originals)
        }
    }

    struct Cancel: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "cancel", abstract: "End a run; what it has done stays.",
            usage: "tintype originals cancel [<run>] [--json]",
            discussion: """
                EXAMPLES
                  tintype originals cancel
                """)

        @OptionGroup var options: RunOptions

        func run() async throws {
            try await options.change(.cancel, in: [.running, .paused], follows: false, kind: .originals)
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
