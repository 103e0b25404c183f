import ArgumentParser
import Failpoints
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
            Photos come in through STORAGE/inbox/USER/, through the local socket STORAGE/tintype.sock, and, with
            --listen, through loopback HTTP, where / is a page with the newest posts.

            With --engine memory the tree is a throw-away one, for developing and testing an app: it begins with the
            JSON of --seed, and is gone when the service ends. Files lie in a temporary folder then, unless --storage
            says where. Clients of Realtime Databases find it by FIREBASE_DATABASE_EMULATOR_HOST=127.0.0.1:9000.

            EXAMPLES
              tintype serve
              tintype serve --storage /srv/photos --listen 127.0.0.1:8080
              tintype serve --engine memory --seed data.json --listen 127.0.0.1:9000 --emulator
              curl --unix-socket Storage/tintype.sock -T photo.jpg 'http://localhost/v1/uploads?user=maria'

            Ctrl-C, or SIGTERM, stops it cleanly: what is being published is finished, what waits is kept.
            """)

    @OptionGroup var settings: SettingOptions

    @Option(help: ArgumentHelp("A JSON file that a tree in memory begins with.", valueName: "file"))
    var seed: String?

    @Option(help: ArgumentHelp("A rules document (.indexOn, .ttl) that replaces the tree's own.", valueName: "file"))
    var rules: String?

    @Option(help: ArgumentHelp("How much to log.", valueName: "level"))
    var logLevel = LogLevel.info

    @Option(help: ArgumentHelp("How to log: text for people, json for programs.", valueName: "format"))
    var logFormat = LogFormat.text

    enum LogFormat: String, ExpressibleByArgument, CaseIterable {
        case text, json
    }

    enum LogLevel: String, ExpressibleByArgument, CaseIterable {
        case debug, info, notice, warning, error
    }

    func run() async throws {
        DescriptorLimit.raise()
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
        let storage = try await Storage(path: path, engine: engine, retention: try configuration.changeRetention())
        if let seed { try await SeedFile(path: seed).load(into: storage.tree) }
        if let rules { try await SeedFile(path: rules).loadRules(into: storage.tree) }
        let logger = makeLogger()
        if Failpoint.isOn { logger.warning("TINTYPE_FAILPOINTS is set: this process is made to fail") }
        if engine == .memory { tell("the tree is in memory, and gone when the service ends", logger) }
        try await serve(storage, configuration, logger)
        await storage.close()
    }

    private func serve(_ storage: Storage, _ configuration: Configuration, _ logger: Logger) async throws {
        let pipeline = UploadPipeline(
            storage: storage, settings: try configuration.pipelineSettings(),
            renderer: try configuration.photoRenderer(), logger: logger)
        let inbox = InboxDoor(pipeline, settings: try configuration.inboxSettings(), logger: logger)
        var door = HTTPDoor.Settings(socketPath: Storage.socketPath(in: storage.path))
        door.listen = try configuration.value(Settings.listen)
        door.database = try configuration.databaseSettings()
        let isEmulator = door.database.isEmulator
        let http = HTTPDoor(pipeline, settings: door, logger: logger) { listener in
            switch listener {
            case .socket(let path):
                tell("listening on \(path); drop photos into \(storage.path)/inbox/USER/", logger)
            case .tcp(let host, let port):
                tell("listening on http://\(host):\(port)/", logger)
                if isEmulator {
                    tell("for database clients: FIREBASE_DATABASE_EMULATOR_HOST=\(host):\(port)", logger)
                }
            }
        }
        // Shut down from the end: the doors answer what they have taken, and need the pipeline for it.
        let group = ServiceGroup(
            configuration: .init(
                services: [pipeline, inbox, http], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await group.run()
    }

    /// Says what people want to know at a start; to programs, in their own way.
    private func tell(_ text: String, _ logger: Logger) {
        switch logFormat {
        case .text: Terminal.tell("tintype: \(text)")
        case .json: logger.notice("\(text)")
        }
    }

    private func makeLogger() -> Logger {
        var logger = Logger(label: "tintype") { label -> any LogHandler in
            logFormat == .json ? JSONLogHandler() : StreamLogHandler.standardError(label: label)
        }
        logger.logLevel = Logger.Level(rawValue: logLevel.rawValue) ?? .info
        return logger
    }
}
