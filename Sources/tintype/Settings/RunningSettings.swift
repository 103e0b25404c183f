import API
import Concurrency
import Logging
import NIOPosix
import Server
import Service
import Uploads

/// The texts of the running service's settings, and the changes since they were read.
actor RunningSettings: SettingsSource {
    /// The text of each setting that is in use, by the setting's name.
    private var texts: [String: String]
    private let read: @Sendable () throws -> Configuration
    /// Whether other machines reach the service, which only a start changes.
    private let isReached: Bool
    private let renderer: any PhotoRenderer
    private let logger: Logger
    /// The turn to read and adopt: while an icon is rendered, another reading must not begin, or the earlier one could end
    /// last.
    private let turn = AsyncSemaphore(1)

    /// Creates the source with the settings that the service started with.
    ///
    /// - Parameters:
    ///   - isReached: Whether other machines reach the service.
    ///   - renderer: The renderer of the icon.
    ///   - read: Reads flags, environment and file again.
    init(
        _ configuration: Configuration, isReached: Bool, renderer: any PhotoRenderer, logger: Logger,
        read: @escaping @Sendable () throws -> Configuration
    ) {
        texts = Dictionary(
            uniqueKeysWithValues: Settings.all.map { ($0.name, configuration.origin(of: $0).text) })
        self.isReached = isReached
        self.renderer = renderer
        self.logger = logger
        self.read = read
    }

    func read(
        isDryRun: Bool, running: PipelineSettings, adopt: @Sendable (LiveSettings) -> Void
    ) async throws -> [SettingsChange] {
        guard await turn.wait() else { throw CancellationError() }
        defer { turn.signal() }
        let configuration: Configuration
        let settings: LiveSettings
        do {
            configuration = try read()
            try configuration.check()
            // The renderer blocks its thread.
            let site = try await NIOThreadPool.singleton.runIfActive { [renderer] in
                try Site(configuration, renderer: renderer)
            }
            settings = LiveSettings(
                pipeline: try configuration.liveSettings(of: running), site: site,
                signUp: try AccountChoices(configuration).signUp(isReached: isReached))
        } catch let error as ConfigurationError {
            throw Failure(
                .badConfiguration, "\(error)", hint: "Correct it. Until then, the service keeps its current settings.")
        }
        let changes = self.changes(to: configuration)
        guard !isDryRun else { return changes }
        for change in changes where change.effect == .applied { texts[change.name] = change.chosen }
        adopt(settings)
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
                logger.warning("\(change.name) is overridden by \(change.by ?? "")", metadata: metadata)
            }
        }
        if changes.isEmpty { logger.notice("no setting has changed") }
    }
}
