import ArgumentParser
import Foundation
import HTTPTypes

/// Shows what the service is doing.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show whether the service runs, takes uploads, and what it is doing.",
        discussion: """
            The exit code is 0 when it runs and 75 when none does.

            EXAMPLES
              tintype status
              tintype status --json
            """)

    @OptionGroup var storage: StorageOptions

    @Flag(help: "Print one JSON document.")
    var json = false

    func run() async throws {
        let document = try await Service(storage).send(.get, "/v1/status")
        if json { return Terminal.say(String(decoding: document, as: UTF8.self)) }
        guard let fields = try JSONSerialization.jsonObject(with: document) as? [String: Any] else { return }
        Self.show(fields, under: "")
    }

    private static func show(_ fields: [String: Any], under prefix: String) {
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            let label = prefix + name.replacingOccurrences(of: "_", with: " ")
            switch value {
            case let inner as [String: Any]: show(inner, under: label + ", ")
            case let list as [Any]: Terminal.say("\(label): \(list.map { "\($0)" }.joined(separator: " "))")
            default: Terminal.say("\(label): \(value)")
            }
        }
    }
}
