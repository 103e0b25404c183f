import ArgumentParser

/// The options of every command: the service's folder and its configuration file.
struct StorageOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The folder that holds everything (default: Storage).", valueName: "dir"))
    var storage: String?

    @Option(
        help: ArgumentHelp(
            "A JSON file with settings (default: that of TINTYPE_CONFIG, or tintype.json in the storage folder).",
            valueName: "file"))
    var config: String?

    /// Reads flags, environment and file; `flags` contains those of the command, by the settings' names.
    func configuration(_ flags: [String: String] = [:]) throws -> Configuration {
        var flags = flags
        flags["storage"] = storage
        return try Configuration(flags: flags, file: config)
    }
}

/// The choice of the settings that a command takes as flags.
protocol SettingChoice {
    static func includes(_ setting: any Setting) -> Bool
}

/// All settings except the storage folder, which is an option of every command.
enum EverySetting: SettingChoice {
    static func includes(_ setting: any Setting) -> Bool { setting.name != "storage" }
}

/// The settings that rendering existing posts depends on.
enum RenderingSettings: SettingChoice {
    private static let names: Set<String> = [
        "recipes", "render", "workers", "tolerant", "public-url", "namespace", "free-space", "grace-period",
    ]

    static func includes(_ setting: any Setting) -> Bool {
        names.contains(setting.name) || setting.name.hasPrefix("max-")
    }
}

/// Options from which the configuration of the service follows.
protocol ConfigurationOptions: ParsableArguments {
    /// The service's folder and its configuration file.
    var place: StorageOptions { get }

    /// Reads flags, environment and file.
    func completeConfiguration() throws -> Configuration
}

extension StorageOptions: ConfigurationOptions {
    var place: StorageOptions { self }

    func completeConfiguration() throws -> Configuration { try configuration() }
}

extension SettingOptions: ConfigurationOptions {
    var place: StorageOptions { storage }

    func completeConfiguration() throws -> Configuration { try configuration() }
}

/// The flags of settings, generated from the declarations in ``Settings``.
///
/// The parser finds the options of a type by its mirror, and passes the given values by coding keys: both are generated
/// from the list of settings, so that a setting needs no property.
struct SettingOptions<Choice: SettingChoice>: ParsableArguments, CustomReflectable {
    let storage: StorageOptions
    /// The texts of the flags that were given, by the settings' names.
    private let flags: [String: String]

    init() {
        storage = StorageOptions()
        flags = [:]
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        storage = try container.decode(OptionGroup<StorageOptions>.self, forKey: .storage).wrappedValue
        var flags: [String: String] = [:]
        for setting in Self.settings {
            let key = Key(stringValue: setting.name)
            flags[setting.name] =
                switch setting.flag {
                case .value: try container.decode(Option<String?>.self, forKey: key).wrappedValue
                case .bare: try container.decode(Flag<Bool>.self, forKey: key).wrappedValue ? "true" : nil
                case .repeated: try Self.joined(container.decode(Option<[String]>.self, forKey: key).wrappedValue)
                }
        }
        self.flags = flags
    }

    var customMirror: Mirror {
        let options = Self.settings.map { ($0.name, Self.option($0)) }
        return Mirror(self, children: [(Key.storage.stringValue, OptionGroup<StorageOptions>())] + options)
    }

    /// The flags that were given, in the form of the command line.
    var given: [String] { Self.settings.filter { flags[$0.name] != nil }.map(\.flagName) }

    /// Reads flags, environment and file.
    ///
    /// - Parameter address: The address of a socket that listens already, which overrides the setting `listen`; nil for none.
    func configuration(listeningAt address: String? = nil) throws -> Configuration {
        try storage.configuration(flags.merging(address.map { ["listen": $0] } ?? [:]) { $1 })
    }

    private static var settings: [any Setting] { Settings.all.filter(Choice.includes) }

    private static func option(_ setting: any Setting) -> Any {
        switch setting.flag {
        case .value(let value):
            Option<String?>(name: .customLong(setting.name), help: ArgumentHelp(setting.help, valueName: value))
        case .bare:
            Flag(wrappedValue: false, name: .customLong(setting.name), help: ArgumentHelp(setting.help))
        case .repeated(let flag, let value, let help):
            Option(wrappedValue: [String](), name: .customLong(flag), help: ArgumentHelp(help, valueName: value))
        }
    }

    private static func joined(_ values: [String]) -> String? {
        values.isEmpty ? nil : values.joined(separator: " ")
    }

    /// The key of an option: the setting's name.
    private struct Key: CodingKey {
        static var storage: Key { Key(stringValue: "storage") }

        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { nil }
    }
}
