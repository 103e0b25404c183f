import Foundation

/// What an operator chose, and where: flag over `TINTYPE_*` over file over default.
struct Configuration: Sendable {
    /// A layer in which settings are looked up.
    private struct Source: Sendable {
        let name: @Sendable (String) -> String
        let values: [String: String]
    }

    /// The text of a setting and where it came from.
    struct Origin: Sendable {
        let text: String
        let source: String
    }

    private var sources: [Source]

    /// Reads the environment and the configuration file: `--config`, else `TINTYPE_CONFIG`, else `tintype.json` in the
    /// Storage folder if there is one.
    ///
    /// - Throws: `ConfigurationError` when a file that was asked for cannot be read, is no JSON object, or names a
    ///   setting that does not exist.
    init(
        flags: [String: String], file: String?, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        sources = [
            Source(name: { "--\($0)" }, values: flags),
            Source(
                name: Self.variable,
                values: Dictionary(
                    uniqueKeysWithValues: Self.names.compactMap { name in
                        environment[Self.variable(name)].map { (name, $0) }
                    })),
        ]
        let chosen = file ?? environment["TINTYPE_CONFIG"]
        let path = try chosen ?? "\(value(Settings.storage))/tintype.json"
        if chosen != nil || FileManager.default.fileExists(atPath: path) {
            let values = try Self.read(path)
            sources.append(Source(name: { _ in path }, values: values))
        }
    }

    /// The value of a setting.
    ///
    /// - Throws: `ConfigurationError` that names the setting, its origin and what it should look like.
    func value<Value>(_ setting: Setting<Value>) throws -> Value {
        let origin = origin(setting.name, defaultText: setting.defaultText)
        guard let value = setting.parse(origin.text) else {
            throw ConfigurationError(
                "\(setting.name) = \"\(origin.text)\" (\(origin.source)) is not \(setting.expectation)")
        }
        return value
    }

    /// The text of a setting and where it came from.
    func origin(_ name: String, defaultText: String) -> Origin {
        for source in sources {
            if let text = source.values[name] { return Origin(text: text, source: source.name(name)) }
        }
        return Origin(text: defaultText, source: "default")
    }

    /// Whether nobody has said anything about a setting.
    func isDefault<Value>(_ setting: Setting<Value>) -> Bool {
        !sources.contains { $0.values[setting.name] != nil }
    }

    @Sendable private static func variable(_ name: String) -> String {
        "TINTYPE_" + name.uppercased().replacingOccurrences(of: "-", with: "_")
    }

    private static func read(_ path: String) throws -> [String: String] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ConfigurationError("the configuration file \(path) cannot be read")
        }
        guard let values = try? JSONDecoder().decode([String: FileValue].self, from: data) else {
            throw ConfigurationError("the configuration file \(path) is no JSON object such as {\"workers\": 2}")
        }
        for name in values.keys.sorted() where !names.contains(name) {
            throw ConfigurationError(
                "\(path): there is no setting \"\(name)\"; there are \(names.joined(separator: ", "))")
        }
        return values.mapValues(\.text)
    }

    private static let names = Settings.all.map(\.name)
}

/// A value in the configuration file, as the text that a flag would have; the elements of a list with spaces between.
private struct FileValue: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(String.self) {
            text = value
        } else if let value = try? container.decode(Bool.self) {
            text = "\(value)"
        } else if let value = try? container.decode(Int.self) {
            text = "\(value)"
        } else {
            text = try container.decode([String].self).joined(separator: " ")
        }
    }
}

/// A setting or a file that cannot be understood.
struct ConfigurationError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
