import Foundation

/// The operator's choices and their origins: a flag overrides a variable `TINTYPE_NAME`, which overrides the file,
/// which overrides the default.
struct Configuration: Sendable {
    /// A source of settings.
    private struct Layer: Sendable {
        /// The words for the layer in messages about a setting, such as `--workers`.
        let source: @Sendable (any Setting) -> String
        /// The texts by the settings' names.
        let values: [String: String]
    }

    /// The text of a setting, and its origin.
    struct Origin: Sendable {
        let text: String
        /// A flag, a variable, a path, or "default".
        let source: String
    }

    /// The layers, strongest first.
    private var layers: [Layer]
    /// The path of the configuration file, which may not exist.
    private(set) var file = ""

    /// Reads the environment and the configuration file: `--config`, else `TINTYPE_CONFIG`, else `tintype.json` in the
    /// Storage folder if there is one.
    ///
    /// - Parameters:
    ///   - flags: The texts of the flags, by the settings' names.
    ///   - mayBeMissing: Whether a file that was named need not exist.
    /// - Throws: `ConfigurationError` when a file that was named cannot be read, is not a JSON object, or names a
    ///   setting that does not exist.
    init(
        flags: [String: String], file: String?, mayBeMissing: Bool = false,
        environment: [String: String] = ProcessInfo.processInfo.environment
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
        self.file = path
        if chosen != nil && !mayBeMissing || FileManager.default.fileExists(atPath: path) {
            let values = try ConfigurationFile(path: path, names: Settings.all.map(\.name)).values
            layers.append(Layer(source: { _ in path }, values: values))
        }
    }

    /// Returns a part of the service with its settings filled in.
    ///
    /// - Throws: `ConfigurationError` that names the setting, its origin and the form of a value.
    func settings<Part>(_ part: Part) throws -> Part {
        var part = part
        try store(Settings.all, in: &part)
        return part
    }

    /// Stores the values of the settings that belong to a part.
    ///
    /// - Throws: `ConfigurationError` that names the setting, its origin and the form of a value.
    func store<Part>(_ settings: [any Setting], in part: inout Part) throws {
        for setting in settings { try setting.store(origin(of: setting), in: &part) }
    }

    /// Returns a value that concerns the process as a whole. Errors in other settings do not matter.
    ///
    /// - Throws: `ConfigurationError` that names the setting, its origin and the form of a value.
    func value<Value>(_ target: KeyPath<ServiceSettings, Value>) throws -> Value {
        try value(target, of: ServiceSettings())
    }

    /// Returns a value of a part of the service. Errors in other settings do not matter.
    ///
    /// - Throws: `ConfigurationError` that names the setting, its origin and the form of a value.
    func value<Part, Value>(_ target: KeyPath<Part, Value>, of part: Part) throws -> Value {
        var part = part
        try store(Settings.all.filter { $0.fills(target) }, in: &part)
        return part[keyPath: target]
    }

    /// Checks that each setting has a valid value.
    ///
    /// - Throws: `ConfigurationError` about the first that has not.
    func check() throws {
        for setting in Settings.all { try setting.check(origin(of: setting)) }
    }

    /// Returns the value of a setting in the configuration file when a stronger layer overrides it, and the source of
    /// that layer.
    func overridden(_ setting: any Setting) -> (text: String, by: String)? {
        let layers = layers.filter { $0.values[setting.name] != nil }
        guard layers.count > 1, let first = layers.first, let text = layers.last?.values[setting.name] else {
            return nil
        }
        return (text, first.source(setting))
    }

    /// Returns the text of a setting, and its origin.
    func origin(of setting: any Setting) -> Origin {
        for layer in layers {
            if let text = layer.values[setting.name] { return Origin(text: text, source: layer.source(setting)) }
        }
        return Origin(text: setting.defaultText, source: "default")
    }

    /// Whether a setting has its default value because no layer sets it.
    func isDefault<Value>(_ target: KeyPath<ServiceSettings, Value>) -> Bool {
        !Settings.all.contains { setting in
            setting.fills(target) && layers.contains { $0.values[setting.name] != nil }
        }
    }

    /// Returns warnings about environment variables that are not settings, such as a misspelt `TINTYPE_WORKRS`.
    ///
    /// They do not prevent a start: container systems add variables that begin with the name of a service.
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
