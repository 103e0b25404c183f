package import Hummingbird
package import Logging
import Transport

/// The format in which an application of the server reports errors to its clients.
package struct ErrorRenderer: Sendable {
    /// Returns the response to an error; `trace` finds the request in the log.
    package let answer: @Sendable (_ error: any Error, _ trace: String) -> Response
    /// The level at which refusals are logged.
    package let level: Logger.Level

    package init(answer: @escaping @Sendable (_ error: any Error, _ trace: String) -> Response, level: Logger.Level) {
        self.answer = answer
        self.level = level
    }
}

extension ErrorRenderer {
    /// The renderer for the photo API.
    package static let problems = ErrorRenderer(answer: { Problem($0).response(trace: $1) }, level: .info)
}
