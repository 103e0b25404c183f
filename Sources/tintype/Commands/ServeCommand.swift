import ArgumentParser
import Failpoints
import Foundation
import Glibc
import Outgoing
import Service
import Store

/// Runs the service until a signal stops it.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Start the service.",
        discussion: """
            Photos are received through STORAGE/inbox/USER/, through the local socket \
            STORAGE/tintype.sock and, with --listen, through HTTP, where / is a page with \
            the newest posts.

            With --engine memory the tree is temporary, for developing and testing an app: it starts with the JSON of --seed, \
            and is lost when the service ends. Files are then in a temporary folder, unless --storage names one. Clients of \
            Firebase's Realtime Database find the service by the environment variable \
            FIREBASE_DATABASE_EMULATOR_HOST=127.0.0.1:9000.

            EXAMPLES
              tintype serve
              curl --unix-socket Storage/tintype.sock -T photo.jpg \\
                'http://localhost/v1/uploads?user=maria'
              tintype serve --storage /srv/photos --listen 127.0.0.1:8080
              tintype serve --engine memory --seed data.json --emulator \\
                --listen 127.0.0.1:9000

            Ctrl-C, or SIGTERM, stops the service cleanly: posts that are being published are finished, and waiting uploads \
            are kept. On SIGHUP it reads its settings again, as with "tintype config reload". It tells systemd when it is ready, and \
            accepts listening sockets from it, which replace --listen.
            """)

    @OptionGroup var settings: SettingOptions<EverySetting>

    @Option(help: ArgumentHelp("A JSON file with the initial content of a tree in memory.", valueName: "file"))
    var seed: String?

    @Option(help: ArgumentHelp("A file with rules, which replace the tree's rules.", valueName: "file"))
    var rules: String?

    func run() async throws {
        DescriptorLimit.raise()
        HeapTrimmer.configure()
        signal(SIGHUP, SIG_IGN)  // Until the signal has a handler.
        if let problem = Failpoint.problem { throw ConfigurationError(problem) }
        let environment = ProcessInfo.processInfo.environment
        let passed = try PassedSockets(environment: environment)
        let settings = settings
        let read = { @Sendable in try settings.configuration(listeningAt: passed.tcp?.listenText) }
        let configuration = try read()
        try configuration.check()
        let log = try ServiceLog(configuration)
        try await ServedFolder(configuration, seed: seed, rules: rules).open(log) { storage in
            let client = OutgoingClient()
            var parts = try PhotoService.Settings(configuration, in: storage, by: client, log)
            parts.server.passed = passed
            parts.server.settingsWriter = ConfigurationWriter(path: configuration.file, storage: storage.path)
            parts.manager = ServiceManager(environment: environment)
            if let notice = try await parts.server.openRulesNotice(storage.tree) { log.announce(notice) }
            let source = RunningSettings(
                configuration, isReached: parts.server.reach != nil, renderer: parts.renderer, logger: log.logger,
                read: read)
            let service = try await PhotoService(
                in: storage, parts, client: client, source: source, logger: log.logger, announce: log.announce)
            try await service.run()
        }
    }
}
