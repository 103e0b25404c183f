import API
import Logging
import Service
import Uploads

/// The texts of the running service's settings, and the changes since they were read.
actor RunningSettings: SettingsSource {
    /// The text of each setting that is in use, by the setting's name.
    private var texts: [String: String]
    private let read: @Sendable () throws -> Configuration
    private let logger: Logger

    /// Creates the source with the settings that the service started with.
    ///
    /// - Parameter read: Reads flags, environment and file again.
    init(
        _ configuration: Configuration, logger: Logger, read: @escaping @Sendable () throws -> Configuration
    ) {
        texts = Dictionary(
            uniqueKeysWithValues: Settings.all.map { ($0.name, configuration.origin(of: $0).text) })
        self.logger = logger
        self.read = read
    }

    func read(
        isDryRun: Bool, running: PipelineSettings
    ) throws -> (changes: [SettingsChange], settings: PipelineSettings) {
        let changes: [SettingsChange]
        let settings: PipelineSettings
        do {
            let configuration = try read()
            try configuration.check()
            changes = self.changes(to: configuration)
            settings = try configuration.liveSettings(of: running)
        } catch let error as ConfigurationError {
            throw Failure(
                .badConfiguration, "\(error)", hint: "Correct it. Until then, the service keeps its current settings.")
        }
        guard !isDryRun else { return (changes, settings) }
        for change in changes where change.effect == .applied { texts[change.name] = change.chosen }
        log(changes)
        return (changes, settings)
    }

    private func changes(to configuration: Configuration) -> [SettingsChange] {
        Settings.all.compactMap { setting in
            let running = texts[setting.name] ?? setting.defaultText
            let chosen = configuration.origin(of: setting).text
            if chosen != running {
                let effect: SettingsChange.Effect = setting.isLive ? .applied : .needsRestart
                return SettingsChange(name: setting.name, running: running, chosen: chosen, effect: effect)
            }
            guard let (text, by) = configuration.overridden(setting), text != running else { return nil }
            return SettingsChange(
                name: setting.name, running: running, chosen: text, effect: .overridden, by: by)
        }
    }

    private func log(_ changes: [SettingsChange]) {
        for change in changes {
            let metadata: Logger.Metadata = ["running": "\(change.running)", "chosen": "\(change.chosen)"]
            switch change.effect {
            case .applied: logger.notice("\(change.name) changed", metadata: metadata)
            case .needsRestart: logger.warning("\(change.name) changes with the next start", metadata: metadata)
            case .overridden:
                logger.warning("\(change.name) is overridden by \(change.by ?? "")", metadata: metadata)
            }
        }
        if changes.isEmpty { logger.notice("no setting has changed") }
    }
}
