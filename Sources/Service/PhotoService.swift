import API
package import Access
import Database
package import Inbox
import Keeping
package import Logging
package import Outgoing
import ServiceLifecycle
package import Store
import UnixSignals
package import Uploads

/// The whole service, put together once: the only code that knows all parts.
///
/// A photo comes in by the inbox or by HTTP and passes through the pipeline; see ``Pipeline`` for the steps. Each part is given
/// those that it needs, from those before it, and never the service.
package struct PhotoService {
    /// The operator's choices.
    package struct Settings: Sendable {
        package var pipeline: PipelineSettings
        package var inbox: InboxWatcher.Settings
        package var server: HTTPServer.Settings
        package var access: AccessControl.Settings
        package var accounts: AccountSettings
        /// Renders photos.
        package var renderer: any PhotoRenderer
        /// Decides about posts before they are published; nil for nobody.
        package var moderation: OutgoingRoute?
        /// The receiver of notifications; nil for none.
        package var notifications: OutgoingRoute?

        package init(
            pipeline: PipelineSettings, inbox: InboxWatcher.Settings, server: HTTPServer.Settings,
            access: AccessControl.Settings, accounts: AccountSettings, renderer: any PhotoRenderer,
            moderation: OutgoingRoute?, notifications: OutgoingRoute?
        ) {
            self.pipeline = pipeline
            self.inbox = inbox
            self.server = server
            self.access = access
            self.accounts = accounts
            self.renderer = renderer
            self.moderation = moderation
            self.notifications = notifications
        }
    }

    private let server: HTTPServer
    /// What runs, in the order in which it begins.
    private let services: [any ServiceLifecycle.Service]
    private let logger: Logger

    /// Makes all parts, in the order in which they need each other.
    ///
    /// - Parameters:
    ///   - storage: The open Storage folder; whoever opened it closes it.
    ///   - client: Sends requests to other machines.
    ///   - source: Reads the operator's settings again.
    ///   - announce: Tells the operator of the start.
    /// - Throws: `TreeError` and `FileError` when keys or rules cannot be read.
    package init(
        in storage: StorageFolder, _ settings: Settings, client: OutgoingClient, source: any SettingsSource,
        logger: Logger, announce: @escaping @Sendable (String) -> Void
    ) async throws {
        let pipeline = Pipeline(
            storage: storage, settings: settings.pipeline, renderer: settings.renderer,
            moderator: settings.moderation.map { Moderator($0) }, logger: logger)
        let inbox = InboxWatcher(pipeline.intake, settings: settings.inbox, logger: logger)
        let accounts = try await AccountSetup(
            in: storage, settings.accounts, access: settings.access, project: settings.server.database.namespace,
            client,
            logger: logger)
        let notifications = try await NotificationSender.make(in: storage, to: settings.notifications, logger: logger)
        let reload = Reload(source: source, pipeline: pipeline)
        var server = settings.server
        server.reload = { try await reload(isDryRun: $0) }
        let announcement = ListenerAnnouncement(server, storagePath: storage.path, announce: announce)
        self.server = HTTPServer(
            pipeline, settings: server, access: accounts.access, media: accounts.media,
            accounts: accounts.endpoints, logger: logger, onListening: announcement.listener)
        self.logger = logger
        // They are shut down from the end: the ways in still answer accepted requests, for which they need the pipeline.
        services =
            [HeapTrimmer(), HangupListener(reload: reload, logger: logger), pipeline, inbox]
            + [notifications].compactMap(\.self) + accounts.services + [self.server]
    }

    /// Serves until SIGTERM or SIGINT.
    ///
    /// - Throws: `Failure` when an address cannot be listened at.
    package func run() async throws {
        try await server.checkAddresses()
        try await ServiceGroup(
            configuration: .init(
                services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        ).run()
    }
}
