import ArgumentParser

/// A setting of the operator: its name, its texts, and the property that stores its value.
///
/// A setting is declared once, in ``Settings``. The flag `--name`, the variable `TINTYPE_NAME`, the key `"name"` of the
/// configuration file, the lines of `--help` and of `tintype config`, the comparison at a reload and the table in
/// `Documentation/Settings.md` are generated from this declaration.
protocol Setting: Sendable {
    /// The name of the file's key, in lower case with dashes; the flag and the variable are derived from it.
    var name: String { get }
    /// The purpose of the setting, in one sentence, for `--help` and the documents.
    var help: String { get }
    /// Further information for the documents, in Markdown; empty for none.
    var details: String { get }
    /// The text of the default value; empty for no value.
    var defaultText: String { get }
    /// The documents' description of a default that depends on the machine; nil to show ``defaultText``.
    var defaultDescription: String? { get }
    var flag: SettingFlag { get }
    /// Whether a running service applies another value at a reload; otherwise it applies from the next start.
    var isLive: Bool { get }

    /// Checks that a text is a value of this setting.
    ///
    /// - Throws: `ConfigurationError` that describes the form of a value.
    func check(_ origin: Configuration.Origin) throws
    /// Stores the value of a text, if this setting's value belongs to the type of `part`; changes nothing otherwise.
    ///
    /// - Throws: `ConfigurationError` that describes the form of a value.
    func store<Part>(_ origin: Configuration.Origin, in part: inout Part) throws
    /// Whether this setting's value is stored in a property.
    func fills(_ target: AnyKeyPath) -> Bool
}

/// The form of a setting on the command line.
enum SettingFlag: Sendable {
    /// `--name VALUE`, with a word for the value.
    case value(String)
    /// `--name` alone, for "true".
    case bare
    /// `--FLAG VALUE`, once for each value; the values are joined with spaces.
    case repeated(String, value: String, help: String)
}

/// A setting whose value, once it is parsed, is stored in a property of one part of the service.
struct StoredSetting<Part, Value>: Setting {
    let name: String
    let target: any WritableKeyPath<Part, Value> & Sendable
    let defaultText: String
    var defaultDescription: String?
    let help: String
    var details = ""
    let flag: SettingFlag
    /// The form of a value, for the sentence "… is not …".
    let expectation: String
    var isLive = false
    /// Parses a text; returns nil when it is not a value, and throws an error that explains more than ``expectation``.
    let parse: @Sendable (String) throws -> Value?

    func check(_ origin: Configuration.Origin) throws { _ = try value(of: origin) }

    func store<Other>(_ origin: Configuration.Origin, in part: inout Other) throws {
        guard let target = target as? WritableKeyPath<Other, Value> else { return }
        part[keyPath: target] = try value(of: origin)
    }

    func fills(_ target: AnyKeyPath) -> Bool { self.target == target }

    private func value(of origin: Configuration.Origin) throws -> Value {
        do {
            if let value = try parse(origin.text) { return value }
        } catch {
            throw ConfigurationError("\(name) (\(origin.source)): \(error)")
        }
        throw ConfigurationError("\(name) = \"\(origin.text)\" (\(origin.source)) is not \(expectation)")
    }
}

extension Setting {
    /// The flag in the form of the command line, such as `--max-side`.
    var flagName: String {
        if case .repeated(let flag, _, _) = flag { return "--\(flag)" }
        return "--\(name)"
    }

    /// The environment variable, such as `TINTYPE_MAX_SIDE`.
    var variableName: String {
        "TINTYPE_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }
}
