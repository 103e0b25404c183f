import Foundation

/// What an operator chose, and where: a flag beats a variable `TINTYPE_NAME`, which beats the file, which beats the default.
struct Configuration: Sendable {
    /// One of the places where settings are chosen.
    private struct Layer: Sendable {
        /// The words for the layer in messages about a setting, such as `--workers`.
        let source: @Sendable (any Setting) -> String
        /// The texts by the settings' names.
        let values: [String: String]
    }

    /// The text of a setting and where it comes from.
    struct Origin: Sendable {
        let text: String
        /// A flag, a variable, a path, or "default".
        let source: String
    }

    /// The strongest layer first.
    private var layers: [Layer]

    /// Reads the environment and the configuration file: `--config`, else `TINTYPE_CONFIG`, else `tintype.json` in the
    /// Storage folder if there is one.
    ///
    /// - Parameter flags: The texts of the flags, by the settings' names.
    /// - Throws: `ConfigurationError` when a file that was asked for cannot be read, is no JSON object, or names a
    ///   setting that does not exist.
    init(
        flags: [String: String], file: String?, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        let variables = Settings.all.compactMap { setting in
            environment[setting.variableName].map { (setting.name, $0) }
        }
        layers = [
            Layer(source: { $0.flagName }, values: flags),
            Layer(source: { $0.variableName }, values: Dictionary(uniqueKeysWithValues: variables)),
        ]
        let chosen = file ?? environment["TINTYPE_CONFIG"]
        let path = try chosen ?? "\(value(\.storage))/tintype.json"
        if chosen != nil || FileManager.default.fileExists(atPath: path) {
            let values = try ConfigurationFile(path: path, names: Settings.all.map(\.name)).values
            layers.append(Layer(source: { _ in path }, values: values))
        }
    }

    /// A part of the service with the settings that are its own.
    ///
    /// - Throws: `ConfigurationError` that names the setting, its origin and the form of a value.
    func settings<Part>(_ part: Part) throws -> Part {
        var part = part
        try store(Settings.all, in: &part)
        return part
    }

    /// Stores the values of those of the settings that belong to a part.
    ///
    /// - Throws: `ConfigurationError` that names the setting, its origin and the form of a value.
    func store<Part>(_ settings: [any Setting], in part: inout Part) throws {
        for setting in settings { try setting.store(origin(of: setting), in: &part) }
    }

    /// A value that concerns the process as a whole; the other settings may be at fault.
    ///
    /// - Throws: `ConfigurationError` that names the setting, its origin and the form of a value.
    func value<Value>(_ target: KeyPath<ServiceSettings, Value>) throws -> Value {
        try value(target, of: ServiceSettings())
    }

    /// A value of a part of the service; the other settings may be at fault.
    ///
    /// - Throws: `ConfigurationError` that names the setting, its origin and the form of a value.
    func value<Part, Value>(_ target: KeyPath<Part, Value>, of part: Part) throws -> Value {
        var part = part
        try store(Settings.all.filter { $0.fills(target) }, in: &part)
        return part[keyPath: target]
    }

    /// Finds out whether each setting can be understood.
    ///
    /// - Throws: `ConfigurationError` about the first that cannot.
    func check() throws {
        for setting in Settings.all { try setting.check(origin(of: setting)) }
    }

    /// What the configuration file says of a setting, when something stronger says otherwise, and what that is.
    func overridden(_ setting: any Setting) -> (text: String, by: String)? {
        let layers = layers.filter { $0.values[setting.name] != nil }
        guard layers.count > 1, let first = layers.first, let text = layers.last?.values[setting.name] else {
            return nil
        }
        return (text, first.source(setting))
    }

    /// The text of a setting and where it comes from.
    func origin(of setting: any Setting) -> Origin {
        for layer in layers {
            if let text = layer.values[setting.name] { return Origin(text: text, source: layer.source(setting)) }
        }
        return Origin(text: setting.defaultText, source: "default")
    }

    /// Whether nobody has chosen anything for a setting.
    func isDefault<Value>(_ target: KeyPath<ServiceSettings, Value>) -> Bool {
        !Settings.all.contains { setting in
            setting.fills(target) && layers.contains { $0.values[setting.name] != nil }
        }
    }

    /// Complaints about variables of the environment that mean nothing here, such as a misspelt `TINTYPE_WORKRS`.
    ///
    /// They are no reason to refuse a start: container systems add variables that begin with the name of a service.
    static func unknownVariables(
        in environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> [String] {
        let known = Settings.all.map(\.variableName) + ["TINTYPE_CONFIG", "TINTYPE_FAILPOINTS"]
        let unknown = environment.keys.filter { $0.hasPrefix("TINTYPE_") && !known.contains($0) }
        return unknown.sorted().map { name in
            let suggestion = Spelling.suggestion(for: name, among: known)
            return "\(name) in the environment is no setting" + (suggestion.map { "; did you mean \($0)?" } ?? "")
        }
    }
}
