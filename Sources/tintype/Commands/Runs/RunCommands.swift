import API
import ArgumentParser
import Foundation

/// The settings that a run depends on when no service runs.
typealias RunSettings = SettingOptions<RenderingSettings>

/// A kind of run over posts: the texts and the options in which its commands differ from those of other kinds.
protocol RunKind {
    /// The options of `plan`.
    associatedtype PlanOptions: RunOrderOptions
    /// The options of `run`.
    associatedtype StartOptions: RunOrderOptions

    static var kind: PostRunKind { get }
    static var planAbstract: String { get }
    static var planDiscussion: String { get }
    static var startDiscussion: String { get }
    /// The field that an example of `ls` reads from the JSON.
    static var listedField: String { get }

    /// Checks for settings that the service would not follow.
    static func check(_ jobs: PostRunsClient, _ settings: RunSettings) async throws
    /// Prints the numbers of posts and bytes of a plan, for people.
    static func printCounts(of plan: BatchPlanDocument)
}

/// The options that define the work of a run and its posts.
protocol RunOrderOptions: ParsableArguments {
    /// The order for the run. Reading it may read standard input.
    var order: PostRunOrder { get }
}

extension RunKind {
    /// The name of the command that has these subcommands.
    fileprivate static var name: String { kind.rawValue }
}

/// The commands of every kind of run.
enum RunCommands<Kind: RunKind> {
    struct Plan: AsyncParsableCommand {
        static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "plan", abstract: Kind.planAbstract, usage: "tintype \(Kind.name) plan [<options>]",
                discussion: Kind.planDiscussion)
        }

        @OptionGroup var settings: RunSettings
        @OptionGroup var options: Kind.PlanOptions

        @Flag(help: "Print one JSON document.")
        var json = false

        func run() async throws {
            let order = try await options.order.named(by: settings.place)
            let plan = try await settings.withJobs { jobs in
                try await Kind.check(jobs, settings)
                return try await jobs.plan(order)
            }
            if json { return Terminal.outputJSON(plan) }
            Kind.printCounts(of: plan)
            if let seconds = plan.seconds {
                Terminal.output("about \(Duration.seconds(seconds).formatted(.units())) of work")
            }
            if let sampled = plan.sampled { Terminal.note("estimated from \(sampled) posts") }
            if let failure = plan.lastFailure { Terminal.error(failure) }
        }
    }

    struct Start: AsyncParsableCommand {
        static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "run", abstract: "Start a run, and follow it to its end.",
                usage: "tintype \(Kind.name) run [<options>]", discussion: Kind.startDiscussion)
        }

        @OptionGroup var settings: RunSettings
        @OptionGroup var options: Kind.StartOptions

        @Flag(help: "Start the run, print its id, and leave the rest to the service.")
        var detach = false

        @Flag(help: "Print one JSON document for each step.")
        var json = false

        func run() async throws {
            let order = try await options.order.named(by: settings.place)
            try await settings.withJobs { jobs in
                try await Kind.check(jobs, settings)
                if detach, case .local = jobs {
                    throw ValidationError("no service runs that could continue it: leave --detach out, or start one")
                }
                let job = try await jobs.begin(order)
                if detach { return json ? Terminal.outputJSON(job) : Terminal.output(job.id) }
                if !json { Terminal.note("run \(job.id)") }
                try await PostRunFollower(jobs: jobs, isJSON: json, kind: Kind.kind).follow(job.id)
            }
        }
    }

    struct Status: AsyncParsableCommand {
        static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "status", abstract: "Show the progress of a run.",
                usage: "tintype \(Kind.name) status [<run>] [--json]",
                discussion: """
                    EXAMPLES
                      tintype \(Kind.name) status
                      tintype \(Kind.name) status --json | jq .seconds_left
                    """)
        }

        @OptionGroup var options: RunOptions<StorageOptions>

        func run() async throws { try await options.tell(of: Kind.kind) }
    }

    struct List: AsyncParsableCommand {
        static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "ls", abstract: "List the runs, newest first.",
                usage: "tintype \(Kind.name) ls [--json] [<options>]",
                discussion: """
                    EXAMPLES
                      tintype \(Kind.name) ls
                      tintype \(Kind.name) ls --json | jq -r \(Kind.listedField)
                    """)
        }

        @OptionGroup var storage: StorageOptions

        @Flag(help: "Print one JSON document for each run.")
        var json = false

        func run() async throws {
            let jobs = try await storage.withJobs { try await $0.list() }
                .filter { $0.kind == Kind.kind }
            for job in jobs {
                if json { Terminal.outputJSON(job) } else { Terminal.output(job.line) }
            }
            if jobs.isEmpty { Terminal.note("there are no runs") }
        }
    }

    struct Pause: AsyncParsableCommand {
        static var configuration: CommandConfiguration { change("pause", "Pause a run.") }

        @OptionGroup var options: RunOptions<StorageOptions>

        func run() async throws { try await options.change(.pause, in: [.running], follows: false, kind: Kind.kind) }
    }

    struct Resume: AsyncParsableCommand {
        static var configuration: CommandConfiguration { change("resume", "Continue a run, and follow it.") }

        @OptionGroup var options: RunOptions<RunSettings>

        func run() async throws {
            try await options.change(.resume, in: [.paused, .running], follows: true, kind: Kind.kind)
        }
    }

    struct Cancel: AsyncParsableCommand {
        static var configuration: CommandConfiguration { change("cancel", "End a run; finished work stays.") }

        @OptionGroup var options: RunOptions<StorageOptions>

        func run() async throws {
            try await options.change(.cancel, in: [.running, .paused], follows: false, kind: Kind.kind)
        }
    }

    /// Returns the configuration of a command that changes a run.
    private static func change(_ name: String, _ abstract: String) -> CommandConfiguration {
        CommandConfiguration(
            commandName: name, abstract: abstract, usage: "tintype \(Kind.name) \(name) [<run>] [--json]",
            discussion: """
                EXAMPLES
                  tintype \(Kind.name) \(name)
                """)
    }
}
