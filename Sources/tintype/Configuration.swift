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
            Source(name: { $0 == Settings.recipes.name ? "--recipe" : "--\($0)" }, values: flags),
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
            let values = try ConfigurationFile(path: path, names: Self.names).values
            sources.append(Source(name: { _ in path }, values: values))
        }
    }

    /// The value of a setting.
    ///
    /// - Throws: `ConfigurationError` that names the setting, its origin and what it should look like.
    func value<Value>(_ setting: Setting<Value>) throws -> Value {
        let origin = origin(setting.name, defaultText: setting.defaultText)
        do {
            if let value = try setting.parse(origin.text) { return value }
        } catch {
            throw ConfigurationError("\(setting.name) (\(origin.source)): \(error)")
        }
        throw ConfigurationError(
            "\(setting.name) = \"\(origin.text)\" (\(origin.source)) is not \(setting.expectation)")
    }

    /// What the configuration file says of a setting, when something stronger says otherwise, and what that is.
    func overridden(_ name: String) -> (text: String, by: String)? {
        let voices = sources.filter { $0.values[name] != nil }
        guard voices.count > 1, let first = voices.first, let text = voices.last?.values[name] else { return nil }
        return (text, first.name(name))
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

    /// What an environment says that means nothing here, such as a misspelt `TINTYPE_WORKRS`.
    ///
    /// It is worth a word, and no refusal: container systems put variables there that begin with the name of a service.
    static func strangeVariables(
        in environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> [String] {
        let known = names.map(variable) + ["TINTYPE_CONFIG", "TINTYPE_FAILPOINTS"]
        let strange = environment.keys.filter { $0.hasPrefix("TINTYPE_") && !known.contains($0) }
        return strange.sorted().map { name in
            let meant = Spelling.suggestion(for: name, among: known)
            return "\(name) in the environment is no setting" + (meant.map { "; did you mean \($0)?" } ?? "")
        }
    }

    private static let names = Settings.all.map(\.name)
}

/// A setting or a file that cannot be understood.
struct ConfigurationError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
