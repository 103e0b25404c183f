import API
import Files
import Server

/// The change of settings in the configuration file, which is checked as a whole before it is written.
struct SettingsEdit {
    private let edit: FileEdit
    private let storage: String?
    /// The settings that change, in the order in which they are listed, with their new texts.
    let changes: [(name: String, text: String)]

    /// Begins the change; one process changes the file at a time.
    ///
    /// - Parameters:
    ///   - storage: The folder of the flag `--storage`; nil if it was not given.
    ///   - settings: The texts by the settings' names.
    /// - Throws: `ConfigurationError` for settings that are not valid, and `FileError`.
    init(of path: String, storage: String?, to settings: [String: String]) throws {
        self.storage = storage
        edit = try FileEdit(path: path)
        do {
            let earlier =
                try edit.original == nil
                ? [:] : ConfigurationFile(path: edit.path, names: Settings.all.map(\.name)).values
            changes = Settings.all.compactMap { setting in
                settings[setting.name].flatMap { earlier[setting.name] == $0 ? nil : (setting.name, $0) }
            }
            guard !changes.isEmpty else { return }
            var text = SettingsText(edit.original ?? [])
            for (name, value) in changes { text.set(name, to: value) }
            try edit.stage(text.bytes)
            try check()
        } catch {
            edit.end()
            throw error
        }
    }

    /// The path of the file.
    var path: String { edit.path }

    /// The settings as they will be.
    ///
    /// - Throws: `ConfigurationError`.
    func configuration() throws -> Configuration {
        guard !changes.isEmpty else {
            return try Configuration(flags: flags, file: path, mayBeMissing: true)
        }
        return try Configuration(flags: flags, file: edit.stagedPath)
    }

    /// Writes the file, if anything changes.
    ///
    /// - Throws: `FileError`.
    func publish() throws { if !changes.isEmpty { try edit.publish() } }

    /// Ends the change; what was not written is forgotten.
    func end() { edit.end() }

    private var flags: [String: String] { storage.map { ["storage": $0] } ?? [:] }

    /// Checks each setting, and those that belong together.
    private func check() throws {
        do {
            let configuration = try configuration()
            try configuration.check()
            _ = try configuration.httpSettings(socketPath: "")
            _ = try configuration.databaseSettings()
        } catch let error as ConfigurationError {
            throw ConfigurationError(error.description.replacing(edit.stagedPath, with: path))
        }
    }
}

/// The configuration file of the running service, for its first setup.
struct ConfigurationWriter: SettingsWriter {
    let path: String
    let storage: String

    func check(_ settings: [String: String]) throws {
        do {
            for setting in Settings.all {
                guard let text = settings[setting.name] else { continue }
                try setting.check(Configuration.Origin(text: text, source: "the setup"))
            }
        } catch let error as ConfigurationError {
            throw Failure(.badConfiguration, error.description)
        }
    }

    func write(_ settings: [String: String]) throws -> (file: String, lines: String?) {
        do {
            let edit = try SettingsEdit(of: path, storage: storage, to: settings)
            defer { edit.end() }
            try edit.publish()
            return (path, nil)
        } catch let error as FileError where [.permission, .readOnly].contains(error.code) {
            return (path, lines(of: settings))
        } catch is ConfigurationError {
            // The service was started with flags or variables that the file is not complete without.
            return (path, lines(of: settings))
        }
    }

    private func lines(of settings: [String: String]) -> String {
        settings.sorted { $0.key < $1.key }.map { name, text in
            "\"\(name)\": \(String(decoding: SettingsText.json(text), as: UTF8.self))"
        }.joined(separator: ",\n")
    }
}
