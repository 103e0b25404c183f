import Files
import Foundation
import Tree

/// The settings that a configuration file chooses.
struct ConfigurationFile {
    /// By name, each as the text that a flag would have.
    let values: [String: String]

    /// Reads the file.
    ///
    /// - Throws: `ConfigurationError` that names the file, and the place or the setting that is at fault in it.
    init(path: String, names: [String]) throws {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ConfigurationError("the configuration file \(path) cannot be read")
        }
        try Self.checkSyntax(data, path)
        guard let object = try? JSONDecoder().decode([String: FileValue].self, from: data) else {
            throw ConfigurationError("the configuration file \(path) holds no JSON object such as {\"workers\": 2}")
        }
        var values: [String: String] = [:]
        for (name, value) in object.sorted(by: { $0.key < $1.key }) {
            guard names.contains(name) else {
                let meant = Spelling.suggestion(for: name, among: names).map { "did you mean \"\($0)\"?" }
                throw ConfigurationError(
                    "\(path): there is no setting \"\(name)\"; \(meant ?? "there are \(names.joined(separator: ", "))")"
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

    /// The tree's reader, too, knows where a text is at fault.
    private static func checkSyntax(_ data: Data, _ path: String) throws {
        var reader = JSONUpdate.Reader(.value, at: .root)
        do throws(TreeError) {
            try reader.feed(Array(data).span)
            _ = try reader.finish()
        } catch {
            let place = try FileReader(path: path)
            throw ConfigurationError(
                "\(path):\(try TextPosition(ofByte: reader.offset, in: place)): \(error.complaint)")
        }
    }
}

/// A value in the file.
private struct FileValue: Decodable {
    /// As a flag would have it, the elements of a list with spaces between; nil for what no setting can be.
    let text: String?
    /// What it is instead.
    let kind: String

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        kind = container.decodeNil() ? "null" : "an object, or a list of other things"
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
