import ArgumentParser
import Foundation
import HTTPTypes

/// Shows the status of the service.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show whether the service runs and accepts uploads, and what it is doing.",
        discussion: """
            The exit code is 0 when the service runs, and 75 when it does not.

            EXAMPLES
              tintype status
              tintype status --json
            """)

    @OptionGroup var storage: StorageOptions

    @Flag(help: "Print one JSON document.")
    var json = false

    func run() async throws {
        let document = try await APIClient(storage).send(.get, "/v1/status")
        if json { return Terminal.output(String(decoding: document, as: UTF8.self)) }
        guard let fields = try JSONSerialization.jsonObject(with: document) as? [String: Any] else { return }
        for line in StatusText(fields).lines { Terminal.output(line) }
    }
}
