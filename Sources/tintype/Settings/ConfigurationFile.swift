import Files
import Foundation
import Tree

/// The settings in a configuration file.
struct ConfigurationFile {
    /// The texts by the settings' names, in the form of flags.
    let values: [String: String]

    /// Reads the file.
    ///
    /// - Throws: `ConfigurationError` that names the file, and the position or the setting of the error.
    init(path: String, names: [String]) throws {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ConfigurationError("the configuration file \(path) cannot be read")
        }
        try Self.checkSyntax(data, path)
        guard let object = try? JSONDecoder().decode([String: FileValue].self, from: data) else {
            throw ConfigurationError("the configuration file \(path) has no JSON object such as {\"workers\": 2}")
        }
        var values: [String: String] = [:]
        for (name, value) in object.sorted(by: { $0.key < $1.key }) {
            guard names.contains(name) else {
                let suggestion = Spelling.suggestion(for: name, among: names).map { "did you mean \"\($0)\"?" }
                throw ConfigurationError(
                    "\(path): there is no setting \"\(name)\"; \(suggestion ?? "there are \(names.joined(separator: ", "))")"
                )
            }
            guard let text = value.text else {
                throw ConfigurationError(
                    "\(path): \"\(name)\" is \(value.kind); a setting is a text, a number, true, false, or a list of texts"
                )
            }
            values[name] = text
        }
        self.values = values
    }

    /// Finds syntax errors with the tree's reader, which reports their position.
    private static func checkSyntax(_ data: Data, _ path: String) throws {
        var reader = JSONUpdate.Reader(.value, at: .root)
        do throws(TreeError) {
            try reader.feed(Array(data).span)
            _ = try reader.finish()
        } catch {
            let file = try FileReader(path: path)
            throw ConfigurationError(
                "\(path):\(try TextPosition(ofByte: reader.offset, in: file)): \(error.messageWithHint)")
        }
    }
}

/// A value in the file.
private struct FileValue: Decodable {
    /// The text in the form of a flag, with spaces between the elements of a list; nil for a value that no setting has.
    let text: String?
    /// The kind of the value, for the error.
    let kind: String

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        kind = container.decodeNil() ? "null" : "an object, or a list of other values"
        if let value = try? container.decode(String.self) {
            text = value
        } else if let value = try? container.decode(Bool.self) {
            text = "\(value)"
        } else if let value = try? container.decode(Int.self) {
            text = "\(value)"
        } else if let value = try? container.decode(Double.self) {
            text = "\(value)"
        } else {
            text = (try? container.decode([String].self))?.joined(separator: " ")
        }
    }
}
