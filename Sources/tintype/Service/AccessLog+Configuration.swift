import CoreMetrics
import Service

extension AccessLog {
    /// Opens the log that the operator has chosen; nil for none.
    ///
    /// - Throws: `ConfigurationError` if the file cannot be written.
    init?(_ configuration: Configuration, _ log: ServiceLog, metrics: any MetricsFactory) throws {
        guard let place = try configuration.value(\.accessLog) else { return nil }
        do {
            try self.init(
                place, log.format == .json ? .json : .combined, redact: log.redaction.redacted, metrics: metrics,
                logger: log.logger)
        } catch {
            throw ConfigurationError("access-log: \(error)")
        }
    }
}
