import Foundation

/// A file whose content is a secret, such as the one that opens the database over TCP.
struct SecretFile: Sendable {
    private static let minBytes = 16

    let text: String
    /// A warning for the operator when others can read the file; nil when they cannot.
    let warning: String?

    /// Reads the file of a secret, which messages call `what`. White space around its content is not part of the
    /// secret.
    ///
    /// - Throws: `ConfigurationError` when it cannot be read, is too short, or can be written by others, who could choose
    ///   the secret.
    init(path: String, of what: String) throws {
        let file = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        guard let data = try? Data(contentsOf: file),
            let attributes = try? FileManager.default.attributesOfItem(atPath: file.path),
            let permissions = attributes[.posixPermissions] as? Int
        else {
            throw ConfigurationError("\(what) \(path) cannot be read")
        }
        guard let content = String(data: data, encoding: .utf8) else {
            throw ConfigurationError("\(what) \(path) is not UTF-8 text")
        }
        text = content.trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.utf8.count >= Self.minBytes else {
            throw ConfigurationError("\(what) \(path) has fewer than \(Self.minBytes) characters")
        }
        let mode = String(permissions & 0o777, radix: 8)
        guard permissions & 0o022 == 0 else {
            throw ConfigurationError(
                "\(what) \(path) can be written by others (mode \(mode)): create a new one, and chmod 600 \(path)"
            )
        }
        warning =
            permissions & 0o004 == 0
            ? nil : "\(what) can be read by everybody on this machine (mode \(mode)): chmod 600 \(path)"
    }
}
