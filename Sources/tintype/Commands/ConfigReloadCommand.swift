import API
import ArgumentParser
import HTTPTypes

/// Reloads the settings of the running service.
struct ConfigReloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Reload the settings of the running service.",
        usage: "tintype config reload [<options>]",
        discussion: """
            The service reads the configuration file again, as on SIGHUP, and uses it from then on. The command names \
            settings that cannot change while the service runs; the exit code is then 3. It also names settings that a flag \
            or a variable of the service overrides. A file with an error changes nothing.

            EXAMPLES
              tintype config reload
              tintype config reload --dry-run
              tintype config reload --json
            """)

    @OptionGroup var storage: StorageOptions

    @Flag(help: "Change nothing; show what would change.")
    var dryRun = false

    @Flag(help: "Print one JSON document.")
    var json = false

    func run() async throws {
        let answer = try await ReloadDocument.request(try APIClient(storage), isDryRun: dryRun)
        if json {
            Terminal.outputJSON(answer)
        } else {
            for setting in answer.settings { Terminal.output(setting.sentence(isDryRun: dryRun)) }
            if answer.settings.isEmpty { Terminal.note("the service already uses these settings") }
        }
        if answer.settings.contains(where: { $0.effect == .needsRestart }) { throw ExitStatus.partial }
    }
}

extension ReloadDocument {
    /// Sends the request to the service.
    static func request(_ service: APIClient, isDryRun: Bool) async throws -> ReloadDocument {
        try await service.read(.post, "/v1/reload", query: ["dry_run": isDryRun ? "true" : nil])
    }
}

extension SettingsChange {
    func sentence(isDryRun: Bool) -> String {
        // An empty text is that of a setting without a value.
        let running = self.running.isEmpty ? "the default" : self.running
        let chosen = self.chosen.isEmpty ? "the default" : self.chosen
        return switch effect {
        case .applied: "\(name): \(chosen)\(isDryRun ? " would apply" : "") (was \(running))"
        case .overridden: "\(name): \(running), as \(by ?? "") of the service sets it, and not \(chosen)"
        case .needsRestart: "\(name): \(running) until the service is started again, then \(chosen)"
        }
    }
}
