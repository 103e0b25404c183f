/// The version of the service.
public struct ServiceVersion: Codable, Hashable, Sendable {
    /// The name of the program.
    public var name: String
    /// The version, such as `0.1.0`.
    public var version: String
}
