import Foundation

/// The project's own pictures in `Fixtures/`, and real photos where the machine has some.
public enum Fixture {
    /// The repository's `Fixtures` folder.
    public static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fixtures").path

    /// The path of a fixture.
    public static func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// The bytes of a fixture.
    public static func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path(name))))
    }
}
