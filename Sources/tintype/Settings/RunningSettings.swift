import API
import Logging
import Pipeline
import Server
import ServiceLifecycle
import UnixSignals

/// The settings of the running service, and their reload.
actor RunningSettings {
    /// The text of each setting that is in use, by the setting's name.
    private var texts: [String: String]
    private let read: @Sendable () throws -> Configuration
    private let pipeline: UploadService
    private let logger: Logger

    /// Begins with the settings with which the pipeline was made.
    ///
    /// - Parameter read: Reads flags, environment and file again.
    init(
        _ configuration: Configuration, pipeline: UploadService, logger: Logger,
        read: @escaping @Sendable () throws -> Configuration
    ) {
        texts = Dictionary(
            uniqueKeysWithValues: Settings.all.map { ($0.name, configuration.origin(of: $0).text) })
        self.pipeline = pipeline
        self.logger = logger
        self.read = read
    }

    /// Reads the settings again, and applies those that can change while the service runs: all of them, or none.
    ///
    /// - Parameter isDryRun: Whether to change nothing and only compare.
    /// - Throws: `Failure` with the code `bad_configuration` when one is not valid; nothing has changed then.
    func reload(isDryRun: Bool) async throws -> [SettingsChange] {
        let changes: [SettingsChange]
        do {
            let configuration = try read()
            try configuration.check()
            changes = self.changes(to: configuration)
            if !isDryRun { try await pipeline.adopt(try configuration.liveSettings(of: pipeline.settings)) }
        } catch let error as ConfigurationError {
            throw Failure(.badConfiguration, "\(error)", hint: "the service keeps the settings that it has")
        }
        guard !isDryRun else { return changes }
        for change in changes where change.effect == .applied { texts[change.name] = change.chosen }
        log(changes)
        return changes
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
                logger.warning("\(change.name) stays as \(change.by ?? "") says", metadata: metadata)
            }
        }
        if changes.isEmpty { logger.notice("the settings are as they were") }
    }
}

/// A service that reloads the settings at each SIGHUP, which never ends the process.
struct HangupListener: ServiceLifecycle.Service, CustomStringConvertible {
    let description = "SIGHUP"
    let settings: RunningSettings
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await _ in await UnixSignalsSequence(trapping: .sighup) {
                do {
                    _ = try await settings.reload(isDryRun: false)
                } catch {
                    logger.error("the settings are as they were", metadata: ["fault": "\(error)"])
                }
            }
        }
    }
}
