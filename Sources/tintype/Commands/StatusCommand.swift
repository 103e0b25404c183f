import API
import ArgumentParser
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
        let status: StatusDocument = try await APIClient(storage).read(.get, "/v1/status")
        if json { return Terminal.outputJSON(status) }
        for line in StatusText(status).lines { Terminal.output(line) }
    }
}
