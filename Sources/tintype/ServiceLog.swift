import Logging
import Server

/// How the service's log is written.
enum LogFormat: String, Sendable {
    /// For people.
    case text
    /// For programs.
    case json
}

/// What the service says while it runs, on standard error.
struct ServiceLog: Sendable {
    let logger: Logger
    private let format: LogFormat

    /// Sets up the log as the operator chose, without the credentials that the operator gave.
    init(_ configuration: Configuration) throws {
        let format = try configuration.value(Settings.logFormat)
        let secrets = [try configuration.databaseSettings { _ in }.secret?.text].compactMap { $0 }
        let redaction = LogRedaction(secrets: secrets)
        var logger = Logger(label: "tintype") { label in
            let handler: any LogHandler =
                format == .json ? JSONLogHandler() : StreamLogHandler.standardError(label: label)
            return RedactingLogHandler(handler, redaction)
        }
        logger.logLevel = try configuration.value(Settings.logLevel)
        self.logger = logger
        self.format = format
    }

    /// Says what people want to know at a start; to programs, in their own way.
    func tell(_ text: String) {
        switch format {
        case .text: Terminal.tell("tintype: \(text)")
        case .json: logger.notice("\(text)")
        }
    }
}
