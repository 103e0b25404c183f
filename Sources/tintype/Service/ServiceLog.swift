import Access
import Cryptography
import Database
import Logging
import Service

/// The service's log on standard error.
struct ServiceLog: Sendable {
    let logger: Logger
    let format: LogFormat
    /// The removal of credentials from lines.
    let redaction: LogRedaction

    /// Sets up the log with the operator's settings. The operator's own credentials never appear in it.
    init(_ configuration: Configuration) throws {
        let format = try configuration.value(\.logFormat)
        let secrets = try configuration.accessSettings { _ in }.secrets.map(\.text)
        let webhookSecrets = try OutgoingChoice.all.compactMap { try $0.webhookSecret(in: configuration)?.text }
        let redaction = LogRedaction(secrets: secrets + webhookSecrets)
        let isJournal = LogLine.isJournal
        var logger = Logger(label: "tintype") { _ in
            let handler: any LogHandler =
                format == .json ? JSONLogHandler(isJournal: isJournal) : TextLogHandler(isJournal: isJournal)
            return RedactingLogHandler(handler, redaction)
        }
        logger.logLevel = try configuration.value(\.logLevel)
        self.logger = logger
        self.format = format
        self.redaction = redaction
    }

    /// Announces a fact about the start: a plain line for people, a log entry for programs.
    func announce(_ text: String) {
        switch format {
        case .text: Terminal.note("tintype: \(text)")
        case .json: logger.notice("\(text)")
        }
    }
}
