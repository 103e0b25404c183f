import API
package import Access
import Accounts
import Database
package import Inbox
import Keeping
package import Logging
package import Outgoing
import Server
import ServiceLifecycle
package import Store
import UnixSignals
package import Uploads

/// The whole service. Its initializer is the only code that knows all parts.
///
/// A photo arrives in the inbox or by HTTP and passes through the pipeline; see ``Pipeline`` for the steps. Each part
/// is given the earlier parts that it needs, and never the service.
package struct PhotoService {
    /// The settings of the service.
    package struct Settings: Sendable {
        package var pipeline: PipelineSettings
        package var inbox: InboxWatcher.Settings
        package var server: HTTPServer.Settings
        /// The program that started the service and waits for its messages; nil for none.
        package var manager: ServiceManager?
        package var access: AccessControl.Settings
        package var accounts: AccountSettings
        /// The renderer of photos.
        package var renderer: any PhotoRenderer
        /// The moderator of posts before publication; nil for none.
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
    /// The services in the order in which they are started.
    private let services: [any ServiceLifecycle.Service]
    private let logger: Logger

    /// Creates all parts, in the order of their dependencies.
    ///
    /// - Parameters:
    ///   - storage: The open Storage folder, which the caller closes.
    ///   - client: The client for requests to other machines.
    ///   - source: The source from which the operator's settings are read again.
    ///   - announce: Shows the operator a line about the start.
    /// - Throws: `TreeError` and `FileError` if keys or rules cannot be read.
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
            site: settings.server.site, client, logger: logger)
        let notifications = try await NotificationSender.make(
            in: storage, to: settings.notifications, counting: pipeline.work, logger: logger)
        let reload = Reload(
            source: source, pipeline: pipeline, site: settings.server.site, accounts: accounts.endpoints.service)
        var server = settings.server
        server.reload = { try await reload(isDryRun: $0) }
        let setupCode = try await Self.offerSetup(in: storage, of: accounts, &server)
        let announcement = ListenerAnnouncement(
            server, storagePath: storage.path, setupCode: setupCode, announce: announce)
        let report = settings.manager.map { manager in
            ManagerReport(
                to: manager, listeners: server.listen == nil ? 1 : 2,
                check: { try await HealthRoutes.check(storage.tree) }, logger: logger)
        }
        self.server = HTTPServer(
            pipeline, settings: server, access: accounts.access, media: accounts.media,
            accounts: accounts.endpoints, logger: logger
        ) { listener in
            announcement.listener(listener)
            report?.listening()
        }
        self.logger = logger
        // Services are shut down in reverse order: the ways in still answer accepted requests, for which they need the
        // pipeline. The manager is notified first.
        let signals = HangupListener(
            reload: reload, accessLog: server.accessLog, manager: settings.manager, logger: logger)
        services =
            [HeapTrimmer(), signals] + [server.accessLog.map { AccessLogService(log: $0) }].compactMap(\.self)
            + [pipeline, inbox] + [notifications].compactMap(\.self) + accounts.services + [self.server]
            + [report].compactMap(\.self)
    }

    /// Lets a stranger set the service up while nobody is there, except where everybody may do everything, or everything
    /// is lost at the end.
    ///
    /// - Returns: The code for requests of other machines; nil if somebody is there.
    private static func offerSetup(
        in storage: StorageFolder, of accounts: AccountSetup, _ server: inout HTTPServer.Settings
    ) async throws -> String? {
        guard !server.database.isEmulator, storage.engine != .memory else { return nil }
        let code = try FirstRun.makeCode()
        let setup = ServiceSetup(
            of: storage.tree, accounts.endpoints.service.adminSetup, accounts.media.rules,
            firstRun: FirstRun(code: code))
        // A store that cannot be read tells so elsewhere.
        let isOpen = (try? await setup.isOpen) ?? false
        server.firstRun = FirstRun(code: isOpen ? code : nil)
        return isOpen ? code : nil
    }

    /// Serves until SIGTERM or SIGINT.
    ///
    /// - Throws: `Failure` if the server cannot listen at an address.
    package func run() async throws {
        try await server.checkAddresses()
        try await ServiceGroup(
            configuration: .init(
                services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        ).run()
    }
}
