/// The form of the service's log.
enum LogFormat: String, Sendable {
    /// Lines for people.
    case text
    /// One JSON object on each line, for programs.
    case json
}
