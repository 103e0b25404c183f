import Access
import ArgumentParser
import Database
import Failpoints
import Glibc
import Inbox
import Logging
import Outgoing
import Pipeline
import Rules
import Server
import ServiceLifecycle
import Store
import Tree
import UnixSignals

/// Runs the service until a signal stops it.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Start the service.",
        discussion: """
            Photos come in through STORAGE/inbox/USER/, through the local socket STORAGE/tintype.sock, and, with \
            --listen, through loopback HTTP, where / is a page with the newest posts.

            With --engine memory the tree is temporary, for developing and testing an app: it begins with the JSON of \
            --seed, and is gone when the service ends. Files are in a temporary folder then, unless --storage names one. \
            Clients of Realtime Databases find the service by FIREBASE_DATABASE_EMULATOR_HOST=127.0.0.1:9000.

            EXAMPLES
              tintype serve
              curl --unix-socket Storage/tintype.sock -T photo.jpg \\
                'http://localhost/v1/uploads?user=maria'
              tintype serve --storage /srv/photos --listen 127.0.0.1:8080
              tintype serve --engine memory --seed data.json --emulator \\
                --listen 127.0.0.1:9000

            Ctrl-C, or SIGTERM, stops the service cleanly: posts that are being published \
            are finished, and waiting uploads are kept. At SIGHUP it reads its settings \
            again, as with "tintype reload".
            """)

    @OptionGroup var settings: SettingOptions

    @Option(help: ArgumentHelp("A JSON file with the initial content of a tree in memory.", valueName: "file"))
    var seed: String?

    @Option(help: ArgumentHelp("A rules document that replaces the tree's rules.", valueName: "file"))
    var rules: String?

    func run() async throws {
        DescriptorLimit.raise()
        HeapTrimmer.configure()
        signal(SIGHUP, SIG_IGN)  // Until there is a listener for it.
        if let problem = Failpoint.problem { throw ConfigurationError(problem) }
        let configuration = try settings.configuration()
        try configuration.check()
        let engine = try configuration.value(\.engine)
        guard seed == nil || engine == .memory else {
            throw ConfigurationError("--seed needs --engine memory; use \"tintype import\" for a tree that stays")
        }
        let isTemporary = engine == .memory && configuration.isDefault(\.storage)
        let folder = isTemporary ? try TemporaryFolder() : nil
        defer { folder?.remove() }
        let path = try folder?.path ?? configuration.value(\.storage)
        let log = try ServiceLog(configuration)
        let logger = log.logger
        let storage = try await StorageFolder.open(
            path: path, engine: engine, retention: try configuration.changeRetention(),
            mediaPlace: try configuration.mediaPlace(), logger: logger)
        if let seed { try await SeedFile(path: seed).load(into: storage.tree) }
        if let rules { try await SeedFile(path: rules).loadRules(into: storage.tree) }
        // An emulator is open until somebody writes rules.
        if try !configuration.databaseSettings().isEmulator {
            try await storage.tree.setRules(DefaultRules.database, onlyIfNone: true)
        }
        if Failpoint.isOn { logger.warning("TINTYPE_FAILPOINTS is set: this process is made to fail") }
        if engine == .memory { log.announce("the tree is in memory, and is gone when the service ends") }
        try await OutgoingClient.run { try await serve(storage, configuration, log, $0) }
        await storage.close()
    }

    private func serve(
        _ storage: StorageFolder, _ configuration: Configuration, _ log: ServiceLog, _ client: OutgoingClient
    ) async throws {
        let logger = log.logger
        let pipeline = UploadService(
            storage: storage, settings: try configuration.pipelineSettings(),
            renderer: try configuration.photoRenderer(),
            moderator: try Moderator(configuration, storagePath: storage.path, client, logger: logger),
            auditedBy: TreeRule.ofAccounts, logger: logger)
        let inbox = InboxWatcher(pipeline.intake, settings: try configuration.inboxSettings(), logger: logger)
        var server = try configuration.httpSettings(socketPath: StorageFolder.socketPath(in: storage.path))
        server.database = try configuration.databaseSettings()
        let accounts = try await AccountSetup(in: storage, configuration, client, logger: logger)
        if let notice = try AccountChoices(configuration).closedSignUpNotice(server) { log.announce(notice) }
        let notifications = try await NotificationSender.make(
            in: storage, configuration, client, logger: logger)
        let running = RunningSettings(configuration, pipeline: pipeline, logger: logger) { [settings] in
            try settings.configuration()
        }
        server.reload = { try await running.reload(isDryRun: $0) }
        let isEmulator = server.database.isEmulator
        let isEncrypted = server.tls != nil
        if isEmulator, storage.engine != .memory {
            logger.warning(
                "emulator: everybody on this machine, and every web page in a browser, may read and change everything in \(storage.path); leave it out, or use --engine memory, where the photos matter"
            )
        }
        let http = HTTPServer(
            pipeline, settings: server, access: accounts.access, media: accounts.media,
            accounts: accounts.endpoints, logger: logger
        ) { listener in
            switch listener {
            case .socket(let path):
                log.announce("listening on \(path); drop photos into \(storage.path)/inbox/USER/")
            case .tcp(let host, let port):
                let authority = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
                log.announce("listening on \(isEncrypted ? "https" : "http")://\(authority)/")
                if isEmulator {
                    log.announce("for database clients: FIREBASE_DATABASE_EMULATOR_HOST=\(host):\(port)")
                }
            }
        }
        try await http.checkAddresses()
        // They are shut down from the end: the ways in still answer accepted requests, for which they need the pipeline.
        let group = ServiceGroup(
            configuration: .init(
                services: [HeapTrimmer(), HangupListener(settings: running, logger: logger), pipeline, inbox]
                    + [notifications].compactMap(\.self)
                    + accounts.services + [http],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await group.run()
    }
}
