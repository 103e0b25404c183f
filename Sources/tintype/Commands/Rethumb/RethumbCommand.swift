import API
import ArgumentParser
import Foundation
import Uploads

/// Renders the thumbnails of published posts again, in runs that are kept until they have ended.
struct RethumbCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rethumb",
        abstract: "Render the thumbnails of published posts again.",
        usage: "tintype rethumb [<subcommand>] [<options>]",
        discussion: """
            Run it after the recipes or public-url have changed. A run is a job of the service that goes on without this \
            command, and over restarts; where no service runs, this process does the work. Posts that have the renditions \
            of the recipes, and name them at the service's address, are skipped. Each other post is switched in one step, \
            and readers never miss a file. A run computes only while nobody else wants the processor.

            EXAMPLES
              tintype rethumb plan
              tintype rethumb run --user maria --since 2026-05-01
              tintype rethumb run --switch-last --concurrency 4
              tintype rethumb switch
              tintype rethumb rollback
            """,
        subcommands: [
            Run.self, Plan.self, Status.self, List.self, Pause.self, Resume.self, Cancel.self, Switch.self,
            Rollback.self, Remove.self,
        ], defaultSubcommand: Run.self)
}

extension RethumbCommand {
    struct Plan: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "plan",
            abstract: "Tell how much a run would do, by a sample that is rendered.",
            usage: "tintype rethumb plan [<options>]",
            discussion: """
                EXAMPLES
                  tintype rethumb plan
                  tintype rethumb plan --with thumb=480,webp --json
                """)

        @OptionGroup var settings: SettingOptions
        @OptionGroup var options: RethumbOptions

        @Flag(help: "Print one JSON document.")
        var json = false

        func run() async throws {
            let order = options.order
            let plan = try await settings.storage.withJobs(settings) { jobs in
                try await jobs.check(settings)
                return try await jobs.plan(order)
            }
            if json { return Terminal.outputJSON(plan) }
            let about = plan.sampled == nil ? "" : "about "
            var line = "\(about)\(plan.posts) of \(plan.total) posts would be switched"
            if plan.failed > 0 { line += ", \(about)\(plan.failed) cannot be" }
            Terminal.output(line)
            if let bytes = plan.bytes { Terminal.output("about \(StatusText.size(bytes)) of renditions") }
            if let seconds = plan.seconds {
                Terminal.output("about \(Duration.seconds(seconds).formatted(.units())) of work")
            }
            if let sampled = plan.sampled { Terminal.note("estimated by \(sampled) posts") }
            if let failure = plan.lastFailure { Terminal.error(failure) }
        }
    }

    struct Run: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "run",
            abstract: "Begin a run, and follow it to its end.",
            usage: "tintype rethumb run [<options>]",
            discussion: """
                Ctrl-C pauses the run; "tintype rethumb resume" goes on with it. With --detach the command ends at once, and \
                the service goes on. With --switch-last all posts are rendered first, while they show what they showed; \
                "tintype rethumb switch" shows the renditions then. "tintype rethumb rollback" brings back what was shown \
                before, as long as the files are there (the setting grace-period).

                EXAMPLES
                  tintype rethumb run
                  tintype rethumb run --only-damaged --json
                  tintype posts --user maria | tintype rethumb run --stdin
                """)

        @OptionGroup var settings: SettingOptions
        @OptionGroup var options: RethumbOptions

        @Flag(help: "Render all posts first, and switch them when told to.")
        var switchLast = false

        @Flag(help: "Begin, print the run's id, and leave the rest to the service.")
        var detach = false

        @Flag(help: "Print one JSON document for each step.")
        var json = false

        func run() async throws {
            var order = options.order
            order.switchesLast = switchLast
            try await settings.storage.withJobs(settings) { [order] jobs in
                try await jobs.check(settings)
                if detach, case .local = jobs {
                    throw ValidationError("no service runs that could go on: leave --detach out, or start it")
                }
                let job = try await jobs.begin(order)
                if detach { return json ? Terminal.outputJSON(job) : Terminal.output(job.id) }
                if !json { Terminal.note("run \(job.id)") }
                try await JobFollower(jobs: jobs, isJSON: json).follow(job.id)
            }
        }
    }
}

extension JobsClient {
    /// Warns about settings that the running service does not know of.
    ///
    /// - Throws: `ConfigurationError` when the command has flags that the service would ignore.
    func check(_ settings: SettingOptions) async throws {
        guard case .service(let service) = self else { return }
        do {
            for setting in try await ReloadDocument.request(service, isDryRun: true).settings
            where setting.name == "recipes" {
                Terminal.error("the service runs with other recipes: \(setting.sentence(isDryRun: true))")
                if setting.effect == .applied { Terminal.error("run \"tintype reload\" to make it use them") }
            }
        } catch let error as Failure where error.code == .badConfiguration {
            Terminal.error("\(error)")
        }
        let flags = settings.given.sorted()
        guard flags.isEmpty else {
            throw ConfigurationError(
                "the service runs, renders by its own settings, and would ignore \(flags.joined(separator: ", ")): "
                    + "write that into the configuration file, then \"tintype reload\"; or use --with")
        }
    }
}
