import ArgumentParser

/// A thing that an operator may choose: its name, its texts, and where its value goes.
///
/// A setting is declared once, in ``Settings``. The flag `--name`, the variable `TINTYPE_NAME`, the key `"name"` of the
/// configuration file, the lines of `--help` and of `tintype config`, the comparison at a reload and the table in
/// `Documentation/Settings.md` are made of this declaration.
protocol Setting: Sendable {
    /// The name of the file's key, in lower case with dashes; flag and variable are made of it.
    var name: String { get }
    /// What the setting is for, in one sentence, for `--help` and the documents.
    var help: String { get }
    /// What the documents say beyond the help, in Markdown; empty for nothing.
    var details: String { get }
    /// The text of the value that holds when nothing is chosen; empty for no value.
    var defaultText: String { get }
    /// What the documents say of a default that depends on the machine; nil where they show ``defaultText``.
    var defaultDescription: String? { get }
    var flag: SettingFlag { get }
    /// Whether a running service takes over another value; otherwise it holds from the next start.
    var isLive: Bool { get }

    /// Finds out whether a text is a value of this setting.
    ///
    /// - Throws: `ConfigurationError` that says how a value looks.
    func check(_ origin: Configuration.Origin) throws
    /// Stores the value that a text stands for, if this setting's value belongs to such a part; changes nothing otherwise.
    ///
    /// - Throws: `ConfigurationError` that says how a value looks.
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
    /// `--FLAG VALUE`, as often as there are values; they are joined with spaces.
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
    /// Reads a text; nil when it is no value, and an error where more can be said than ``expectation`` does.
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
    /// The flag as it is written, such as `--max-side`.
    var flagName: String {
        if case .repeated(let flag, _, _) = flag { return "--\(flag)" }
        return "--\(name)"
    }

    /// The environment variable, such as `TINTYPE_MAX_SIDE`.
    var variableName: String {
        "TINTYPE_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }
}
