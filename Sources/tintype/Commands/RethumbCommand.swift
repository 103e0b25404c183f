import API
import ArgumentParser
import Pipeline
import Server

/// Renders published posts again, with the current recipes.
struct RethumbCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rethumb",
        abstract: "Render the thumbnails of published posts again.",
        discussion: """
            Run it after the recipes or public-url have changed. Posts that have the renditions of the current recipes, and \
            name them at the service's address, are skipped. Each other post is switched in one step, and readers never miss a \
            file; where only the address is another, nothing is rendered. You may stop the command with Ctrl-C at any time; \
            the next run continues from there. When the service runs, it does the work, with its own settings, and only while \
            no upload waits.

            EXAMPLES
              tintype rethumb --dry-run
              tintype rethumb --user maria --since 2026-05-01
              tintype rethumb --only-missing --json
            """)

    @OptionGroup var settings: SettingOptions

    @Option(help: ArgumentHelp("Only this person's posts.", valueName: "user"))
    var user: String?

    @Option(help: ArgumentHelp("Only posts since this date.", valueName: "date"))
    var since: String?

    @Flag(help: "Only posts that lack a rendition with one of the current names.")
    var onlyMissing = false

    @Flag(help: "Change nothing; count what would change.")
    var dryRun = false

    @Flag(help: "Print one JSON document for each step.")
    var json = false

    func run() async throws {
        let last = try await JobSteps.show(isJSON: json, note: { $0.note(isDryRun: dryRun) }) { try await steps($0) }
        if !json {
            Terminal.output(
                "\(last.switched) of \(last.total) posts \(dryRun ? "would be " : "")switched, \(last.failed) failed")
        }
        if last.failed > 0 { throw ExitStatus.partial }
    }

    /// Runs the job in the service, or in this process when no service runs.
    private func steps(_ report: (JobDocument) -> Void) async throws {
        do {
            try await checkService()
            try await runInService(report)
        } catch let error as Failure where error.code == .noService {
            try await runHere(report)
        }
    }

    /// Warns about settings that the running service does not know of.
    ///
    /// - Throws: `ConfigurationError` when the command has flags that the service would ignore.
    private func checkService() async throws {
        let service = try APIClient(settings.storage)
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
                    + "write that into the configuration file, then \"tintype reload\"")
        }
    }

    private func runInService(_ report: (JobDocument) -> Void) async throws {
        let query: [String: String?] = [
            "user": user, "since": since, "only_missing": onlyMissing ? "true" : nil, "dry_run": dryRun ? "true" : nil,
        ]
        try await JobSteps.inService(APIClient(settings.storage), "/v1/rethumb", query: query, report)
    }

    private func runHere(_ report: (JobDocument) -> Void) async throws {
        let configuration = try settings.configuration()
        let selection = try Pipeline.Rethumb.Selection(user: user, since: since, onlyMissing: onlyMissing)
        try await configuration.withPipeline(renderer: try configuration.photoRenderer()) { pipeline in
            let job = Pipeline.Rethumb(pipeline, selection: selection, isDryRun: dryRun)
            var last = JobDocument(try await job.run { report(JobDocument($0)) })
            last.finished = true
            report(last)
            if !dryRun { try await pipeline.janitor.sweep() }
        }
    }
}

extension JobDocument {
    fileprivate func note(isDryRun: Bool) -> String {
        "\(switched) \(isDryRun ? "to switch" : "switched")" + (failed > 0 ? ", \(failed) failed" : "")
    }
}
