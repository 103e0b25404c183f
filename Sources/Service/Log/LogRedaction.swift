import API
import Foundation
package import Logging

/// The removal of credentials from all log entries, at any level and by any library.
///
/// Errors quote addresses, and libraries describe their configuration, so callers cannot be relied on to remove
/// credentials. Credentials are recognised by their form (a query parameter, a header, a JSON Web Token), and the
/// service's own secret by its text, plain or percent-encoded.
package struct LogRedaction: Sendable {
    private static let hidden = "[hidden]"

    /// The service's own secrets, longest first.
    private let secrets: [String]

    package init(secrets: [String]) {
        let spellings = secrets.flatMap { [$0, $0.percentEncoded] }
        self.secrets = Set(spellings).filter { !$0.isEmpty }.sorted { $0.count > $1.count }
    }

    /// Returns the text with `[hidden]` in place of credentials.
    package func redacted(_ text: String) -> String {
        var text = text
        for secret in secrets where text.contains(secret) {
            text = text.replacingOccurrences(of: secret, with: Self.hidden)
        }
        guard Self.mayHoldCredentials(text) else { return text }
        return
            text
            .replacing(Self.header) { "\($0.1)\(Self.hidden)" }
            .replacing(Self.parameter) { "\($0.1)\(Self.hidden)" }
            .replacing(Self.bearer) { "\($0.1)\(Self.hidden)" }
            .replacing(Self.webToken, with: Self.hidden)
    }

    /// Returns false for most entries without credentials, at a low cost, so that the regular expressions can be
    /// skipped.
    private static func mayHoldCredentials(_ text: String) -> Bool {
        let lower = text.lowercased()
        return ["auth", "token", "secret", "password", "bearer", "cookie", "eyj"].contains { lower.contains($0) }
    }

    // `nonisolated(unsafe)` is correct for all four: they are constants, and matching does not change a `Regex`; only
    // its type is not marked as `Sendable`.
    private nonisolated(unsafe) static let header =
        /((?:proxy-)?authorization["']?\s*[:=,]\s*|(?:set-)?cookie["']?\s*[:=,]\s*)[^\n\]]+/.ignoresCase()
    private nonisolated(unsafe) static let parameter =
        /\b((?:[a-z_]*token|auth|[a-z_]*secret|password|api_?key)(?:=|%3d))[^&\s"'#,;)\]]+/.ignoresCase()
    private nonisolated(unsafe) static let bearer = /\b(bearer(?:\s|%20|\+)+)[^\s"',;)\]]+/.ignoresCase()
    private nonisolated(unsafe) static let webToken = /\beyJ[A-Za-z0-9_-]*\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)?/
}

/// A log handler that removes credentials from each entry and passes it on to another handler.
///
/// Metadata are searched only when something is logged, because each request has its own, and most requests log
/// nothing.
package struct RedactingLogHandler: LogHandler {
    private var inner: any LogHandler
    private let redaction: LogRedaction
    package var metadata: Logger.Metadata = [:]

    package init(_ inner: any LogHandler, _ redaction: LogRedaction) {
        self.inner = inner
        self.redaction = redaction
    }

    package var metadataProvider: Logger.MetadataProvider? {
        get { inner.metadataProvider }
        set { inner.metadataProvider = newValue }
    }

    package var logLevel: Logger.Level {
        get { inner.logLevel }
        set { inner.logLevel = newValue }
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var event = event
        event.message = "\(redaction.redacted(event.message.description))"
        event.metadata = redacted(metadata.merging(event.metadata ?? [:]) { _, ofEvent in ofEvent })
        event.error = event.error.map { LoggedError(description: redaction.redacted("\($0)")) }
        inner.log(event: event)
    }

    private func redacted(_ metadata: Logger.Metadata) -> Logger.Metadata { metadata.mapValues(redacted) }

    /// Returns the value as a string without credentials. Structured values are searched in their written form.
    private func redacted(_ value: Logger.Metadata.Value) -> Logger.Metadata.Value {
        .string(redaction.redacted("\(value)"))
    }
}

/// The description of an error, without credentials.
private struct LoggedError: Error, CustomStringConvertible {
    let description: String
}
