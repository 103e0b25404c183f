import Hummingbird
import Logging

/// The words in which an application of the server tells its clients of errors.
struct ErrorWords: Sendable {
    /// The answer to an error; `trace` finds the request in the log.
    let answer: @Sendable (_ error: any Error, _ trace: String) -> Response
    /// The level at which refusals are logged.
    let level: Logger.Level
}
