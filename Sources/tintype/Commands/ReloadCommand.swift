import ArgumentParser
import Foundation
import HTTPTypes

/// Makes the running service read its settings again.
struct ReloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Make the running service read its settings again.",
        discussion: """
            The service reads the configuration file again, as it does at SIGHUP, and uses \
            it from then on. The command names settings that cannot change while the service \
            runs; the exit code is 3 then. It also names settings that a flag or a variable \
            of the service overrides. A file with a fault changes nothing.

            EXAMPLES
              tintype reload
              tintype reload --dry-run
              tintype reload --json
            """)

    @OptionGroup var storage: StorageOptions

    @Flag(help: "Change nothing; show what would change.")
    var dryRun = false

    @Flag(help: "Print one JSON document.")
    var json = false

    func run() async throws {
        let answer = try await SettingsReview.request(try APIClient(storage), isDryRun: dryRun)
        if json {
            Terminal.output(String(decoding: answer.document, as: UTF8.self))
        } else {
            for setting in answer.settings { Terminal.output(setting.sentence(isDryRun: dryRun)) }
            if answer.settings.isEmpty { Terminal.note("the service uses these settings already") }
        }
        if answer.settings.contains(where: { $0.effect == "needs_restart" }) { throw ExitStatus.partial }
    }
}

/// The service's report on settings whose chosen value is not the one in use.
struct SettingsReview: Sendable {
    struct Setting: Decodable, Sendable {
        let name: String
        let running: String
        let chosen: String
        let effect: String
        let by: String?

        func sentence(isDryRun: Bool) -> String {
            switch effect {
            case "applied": "\(name): \(chosen)\(isDryRun ? " would hold" : "") (was \(running))"
            case "overridden": "\(name): \(running), as \(by ?? "") of the service says, and not \(chosen)"
            default: "\(name): \(running) until the service is started again, then \(chosen)"
            }
        }
    }

    let settings: [Setting]
    let document: Data

    static func request(_ service: APIClient, isDryRun: Bool) async throws -> SettingsReview {
        struct Answer: Decodable { let settings: [Setting] }
        let document = try await service.send(.post, "/v1/reload", query: ["dry_run": isDryRun ? "true" : nil])
        return SettingsReview(
            settings: try JSONDecoder().decode(Answer.self, from: document).settings, document: document)
    }
}
