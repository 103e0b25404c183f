import Database
import Logging
import Outgoing
import Server
import Service
import Store

extension PhotoService.Settings {
    /// Reads the settings of all parts of the service.
    ///
    /// - Parameters:
    ///   - client: The client for requests to addresses that the operator chose.
    ///   - log: The log for warnings to the operator about the settings.
    /// - Throws: `ConfigurationError`, and `Failure` when photos cannot be isolated on this machine.
    init(
        _ configuration: Configuration, in storage: StorageFolder, by client: OutgoingClient, _ log: ServiceLog
    ) throws {
        func warn(_ text: String) { log.logger.warning("\(text)") }
        var server = try configuration.httpSettings(socketPath: StorageFolder.socketPath(in: storage.path))
        server.database = try configuration.databaseSettings()
        server.accessLog = try AccessLog(configuration, log, metrics: storage.metrics)
        let choices = AccountChoices(configuration)
        let renderer = try configuration.photoRenderer(metrics: storage.metrics)
        server.site.adopt(try Site(configuration, renderer: renderer))
        self.init(
            pipeline: try configuration.pipelineSettings(), inbox: try configuration.inboxSettings(), server: server,
            access: try configuration.accessSettings(warn: warn),
            accounts: AccountSettings(
                identity: try configuration.identitySettings(), issuers: try choices.issuers(),
                serviceAccounts: try choices.serviceAccounts(), delivery: try choices.delivery(by: client, warn: warn),
                origin: try choices.origin()),
            renderer: renderer,
            moderation: try OutgoingChoice.moderation.route(in: configuration, by: client, warn: warn),
            notifications: try OutgoingChoice.notifications.route(in: configuration, by: client, warn: warn))
        if let notice = try choices.closedSignUpNotice(server) { log.announce(notice) }
        if server.database.isEmulator, storage.engine != .memory {
            warn(
                "emulator: every user of this machine, and every web page in a browser, may read and change everything in \(storage.path); leave it out, or use --engine memory, where the photos matter"
            )
        }
    }
}
