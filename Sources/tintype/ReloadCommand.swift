import ArgumentParser
import Foundation
import HTTPTypes

/// Has the running service read its settings again.
struct ReloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Let the running service read its settings again.",
        discussion: """
            The service reads the configuration file again, as it does at SIGHUP, and \
            works by it from then on. What cannot change while it runs is named, and so \
            is what a flag or the environment of the service says otherwise; the exit \
            code is 3 when it wants a restart. A file with a fault changes nothing.

            EXAMPLES
              tintype reload
              tintype reload --dry-run
              tintype reload --json
            """)

    @OptionGroup var storage: StorageOptions

    @Flag(help: "Change nothing, and tell what would be.")
    var dryRun = false

    @Flag(help: "Print one JSON document.")
    var json = false

    func run() async throws {
        let answer = try await SettingsReview.ask(try Service(storage), isDryRun: dryRun)
        if json {
            Terminal.say(String(decoding: answer.document, as: UTF8.self))
        } else {
            for setting in answer.settings { Terminal.say(setting.sentence(isDryRun: dryRun)) }
            if answer.settings.isEmpty { Terminal.tell("the service runs by these settings already") }
        }
        if answer.settings.contains(where: { $0.effect == "needs_restart" }) { throw Outcome.partial }
    }
}

/// What the service says of settings that were chosen otherwise than it runs by.
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

    static func ask(_ service: Service, isDryRun: Bool) async throws -> SettingsReview {
        struct Answer: Decodable { let settings: [Setting] }
        let document = try await service.send(.post, "/v1/reload", query: ["dry_run": isDryRun ? "true" : nil])
        return SettingsReview(
            settings: try JSONDecoder().decode(Answer.self, from: document).settings, document: document)
    }
}
