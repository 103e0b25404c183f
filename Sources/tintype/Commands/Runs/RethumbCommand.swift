import API
import ArgumentParser
import Foundation
import Uploads

/// Renders the thumbnails of published posts again, in runs that are stored until they have ended.
struct RethumbCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rethumb",
        abstract: "Render the thumbnails of published posts again.",
        usage: "tintype rethumb [<subcommand>] [<options>]",
        discussion: """
            Run it after the recipes or public-url have changed. A run is a job of the service that continues without this \
            command, and after restarts; when no service runs, this process does the work. Posts that already have the \
            renditions of the recipes, at the service's address, are skipped. Each other post is switched in one step, and \
            readers never miss a file. A run computes only while nothing else needs the processor.

            EXAMPLES
              tintype rethumb plan
              tintype rethumb run --user maria --since 2026-05-01
              tintype rethumb run --switch-last --concurrency 4
              tintype rethumb switch
              tintype rethumb rollback
            """,
        subcommands: [
            Runs.Start.self, Runs.Plan.self, Runs.Status.self, Runs.List.self, Runs.Pause.self, Runs.Resume.self,
            Runs.Cancel.self, Switch.self, Rollback.self, Remove.self,
        ], defaultSubcommand: Runs.Start.self)

    private typealias Runs = RunCommands<Rethumbs>
}

/// The runs that render thumbnails again.
private enum Rethumbs: RunKind {
    typealias PlanOptions = RethumbOptions

    struct StartOptions: RunOrderOptions {
        @OptionGroup var options: RethumbOptions

        @Flag(help: "Render all posts first, and switch them later, on request.")
        var switchLast = false

        var order: PostRunOrder {
            var order = options.order
            order.switchesLast = switchLast
            return order
        }
    }

    static let kind = PostRunKind.rethumb
    static let planAbstract = "Estimate the work of a run, by rendering a sample."
    static let planDiscussion = """
        EXAMPLES
          tintype rethumb plan
          tintype rethumb plan --with thumb=480,webp --json
        """
    static let startDiscussion = """
        Ctrl-C pauses the run; "tintype rethumb resume" continues it. With --detach the command ends at once, and the \
        service continues the run. With --switch-last all posts are rendered first, and still show their old renditions; \
        "tintype rethumb switch" then shows the new ones. "tintype rethumb rollback" shows the old renditions again, as \
        long as their files exist (the setting grace-period).

        EXAMPLES
          tintype rethumb run
          tintype rethumb run --only-damaged --json
          tintype post --user maria | tintype rethumb run --stdin
        """
    static let listedField = ".id"

    static func check(_ jobs: PostRunsClient, _ settings: RunSettings) async throws {
        try await jobs.check(settings)
    }

    static func printCounts(of plan: BatchPlanDocument) {
        let about = plan.sampled == nil ? "" : "about "
        var line = "\(about)\(plan.posts) of \(plan.total) posts would be switched"
        if plan.failed > 0 { line += ", \(about)\(plan.failed) would fail" }
        Terminal.output(line)
        if let bytes = plan.bytes { Terminal.output("about \(ByteSize.text(bytes)) of renditions") }
    }
}

extension PostRunsClient {
    /// Warns about settings that the running service has not read.
    ///
    /// - Throws: `ConfigurationError` when the command has flags that the service would ignore.
    fileprivate func check(_ settings: RunSettings) async throws {
        guard case .service(let service) = self else { return }
        do {
            for setting in try await ReloadDocument.request(service, isDryRun: true).settings
            where setting.name == "recipes" {
                Terminal.error("the service runs with other recipes: \(setting.sentence(isDryRun: true))")
                if setting.effect == .applied { Terminal.error("run \"tintype config reload\" to apply them") }
            }
        } catch let error as Failure where error.code == .badConfiguration {
            Terminal.error("\(error)")
        }
        try await refuseFlags(of: settings, otherwise: "; or use --with")
    }
}
