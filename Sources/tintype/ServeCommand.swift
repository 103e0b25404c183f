import ArgumentParser
import Failpoints
import Glibc
import Inbox
import Logging
import Pipeline
import Server
import ServiceLifecycle
import Tree
import UnixSignals

/// Runs the service until it is told to stop.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Start the service.",
        discussion: """
            Photos come in through STORAGE/inbox/USER/, through the local socket STORAGE/tintype.sock, and, with \
            --listen, through loopback HTTP, where / is a page with the newest posts.

            With --engine memory the tree is a throw-away one, for developing and testing an app: it begins with the \
            JSON of --seed, and is gone when the service ends. Files lie in a temporary folder then, unless --storage \
            says where. Clients of Realtime Databases find it by FIREBASE_DATABASE_EMULATOR_HOST=127.0.0.1:9000.

            EXAMPLES
              tintype serve
              tintype serve --storage /srv/photos --listen 127.0.0.1:8080
              tintype serve --engine memory --seed data.json --emulator \\
                --listen 127.0.0.1:9000
              curl --unix-socket Storage/tintype.sock -T photo.jpg \\
                'http://localhost/v1/uploads?user=maria'

            Ctrl-C, or SIGTERM, stops it cleanly: what is being published is finished, \
            what waits is kept. At SIGHUP it reads its settings again, as "tintype reload" \
            has it do.
            """)

    @OptionGroup var settings: SettingOptions

    @Option(help: ArgumentHelp("A JSON file that a tree in memory begins with.", valueName: "file"))
    var seed: String?

    @Option(help: ArgumentHelp("A rules document (.indexOn, .ttl) that replaces the tree's own.", valueName: "file"))
    var rules: String?

    func run() async throws {
        DescriptorLimit.raise()
        HeapKeeper.configure()
        signal(SIGHUP, SIG_IGN)  // Until it is listened to.
        if let problem = Failpoint.problem { throw ConfigurationError(problem) }
        let configuration = try settings.configuration()
        for setting in Settings.all { try setting.check(configuration) }
        let engine = try configuration.value(Settings.engine)
        guard seed == nil || engine == .memory else {
            throw ConfigurationError("--seed goes with --engine memory; into a tree that stays, use \"tintype import\"")
        }
        let isTemporary = engine == .memory && configuration.isDefault(Settings.storage)
        let folder = isTemporary ? try TemporaryFolder() : nil
        defer { folder?.remove() }
        let path = try folder?.path ?? configuration.value(Settings.storage)
        let storage = try await StorageFolder(
            path: path, engine: engine, retention: try configuration.changeRetention())
        if let seed { try await SeedFile(path: seed).load(into: storage.tree) }
        if let rules { try await SeedFile(path: rules).loadRules(into: storage.tree) }
        let log = try ServiceLog(configuration)
        let logger = log.logger
        if Failpoint.isOn { logger.warning("TINTYPE_FAILPOINTS is set: this process is made to fail") }
        if engine == .memory { log.tell("the tree is in memory, and gone when the service ends") }
        try await serve(storage, configuration, log)
        await storage.close()
    }

    private func serve(_ storage: StorageFolder, _ configuration: Configuration, _ log: ServiceLog) async throws {
        let logger = log.logger
        let pipeline = UploadService(
            storage: storage, settings: try configuration.pipelineSettings(),
            renderer: try configuration.photoRenderer(), logger: logger)
        let inbox = InboxWatcher(pipeline, settings: try configuration.inboxSettings(), logger: logger)
        var server = HTTPServer.Settings(socketPath: StorageFolder.socketPath(in: storage.path))
        server.listen = try configuration.value(Settings.listen)
        server.allowedOrigins = try configuration.value(Settings.allowedOrigins)
        server.publicURL = try configuration.value(Settings.publicURL)
        if server.publicURL != nil, server.listen == nil {
            throw ConfigurationError(
                "public-url is about TCP; say where the proxy reaches this, such as --listen 127.0.0.1:8080")
        }
        server.database = try configuration.databaseSettings { logger.warning("\($0)") }
        let running = RunningSettings(configuration, pipeline: pipeline, logger: logger) { [settings] in
            try settings.configuration()
        }
        server.reload = { try await running.reload(isDryRun: $0) }
        let isEmulator = server.database.isEmulator
        if isEmulator, storage.engine != .memory {
            logger.warning(
                "emulator: all on this machine, every web page in a browser too, may read and change all that \(storage.path) keeps; without it, or with --engine memory, nobody's photos are at stake"
            )
        }
        let http = HTTPServer(pipeline, settings: server, logger: logger) { listener in
            switch listener {
            case .socket(let path):
                log.tell("listening on \(path); drop photos into \(storage.path)/inbox/USER/")
            case .tcp(let host, let port):
                log.tell("listening on http://\(host):\(port)/")
                if isEmulator {
                    log.tell("for database clients: FIREBASE_DATABASE_EMULATOR_HOST=\(host):\(port)")
                }
            }
        }
        try await http.checkAddresses()
        // Shut down from the end: the ways in answer what they have taken, and need the pipeline for it.
        let group = ServiceGroup(
            configuration: .init(
                services: [
                    HeapKeeper(), HangupListener(settings: running, logger: logger), pipeline, inbox, http,
                ],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await group.run()
    }
}
