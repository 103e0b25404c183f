import Foundation

/// A file whose content opens something, such as the database over TCP.
struct SecretFile: Sendable {
    private static let minBytes = 16

    let text: String
    /// What its owner should know: that others can read it; nil when they cannot.
    let warning: String?

    /// Reads the file; white space around its content is no part of the secret.
    ///
    /// - Throws: `ConfigurationError` when it cannot be read, is too short to be a secret, or can be written by others, who
    ///   could choose what opens the database.
    init(path: String) throws {
        let file = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        guard let data = try? Data(contentsOf: file),
            let attributes = try? FileManager.default.attributesOfItem(atPath: file.path),
            let permissions = attributes[.posixPermissions] as? Int
        else {
            throw ConfigurationError("the database's secret \(path) cannot be read")
        }
        guard let content = String(data: data, encoding: .utf8) else {
            throw ConfigurationError("the database's secret \(path) cannot be read as a text")
        }
        text = content.trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.utf8.count >= Self.minBytes else {
            throw ConfigurationError("the database's secret \(path) has less than \(Self.minBytes) characters")
        }
        let mode = String(permissions & 0o777, radix: 8)
        guard permissions & 0o022 == 0 else {
            throw ConfigurationError(
                "the database's secret \(path) can be written by others (mode \(mode)): make a new one, and chmod 600 \(path)"
            )
        }
        warning =
            permissions & 0o004 == 0
            ? nil : "the database's secret can be read by everybody on this machine (mode \(mode)): chmod 600 \(path)"
    }
}
