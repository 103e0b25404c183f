import ArgumentParser
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

            EXAMPLES
              tintype serve
              tintype serve --storage /srv/photos --listen 127.0.0.1:8080
              curl --unix-socket Storage/tintype.sock -T photo.jpg 'http://localhost/v1/uploads?user=maria'

            Ctrl-C, or SIGTERM, stops it cleanly: what is being published is finished, what waits is kept.
            """)

    @OptionGroup var settings: SettingOptions

    @Option(help: ArgumentHelp("How much to log.", valueName: "level"))
    var logLevel = LogLevel.info

    enum LogLevel: String, ExpressibleByArgument, CaseIterable {
        case debug, info, notice, warning, error
    }

    func run() async throws {
        let configuration = try settings.configuration()
        for setting in Settings.all { try setting.check(configuration) }
        let logger = makeLogger()
        let path = try configuration.value(Settings.storage)
        let storage = try await Storage(path: path)
        let pipeline = UploadPipeline(storage: storage, settings: try configuration.pipelineSettings(), logger: logger)
        let inbox = InboxDoor(pipeline, settings: try configuration.inboxSettings(), logger: logger)
        var door = HTTPDoor.Settings(socketPath: Storage.socketPath(in: path))
        door.listen = try configuration.value(Settings.listen)
        door.database = try configuration.databaseSettings()
        let http = HTTPDoor(pipeline, settings: door, logger: logger) { listener in
            switch listener {
            case .socket(let path):
                Terminal.tell("tintype: listening on \(path); drop photos into \(storage.path)/inbox/USER/")
            case .tcp(let host, let port): Terminal.tell("tintype: listening on http://\(host):\(port)/")
            }
        }
        // Shut down from the end: the doors answer what they have taken, and need the pipeline for it.
        let group = ServiceGroup(
            configuration: .init(
                services: [pipeline, inbox, http], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await group.run()
        await storage.close()
    }

    private func makeLogger() -> Logger {
        var logger = Logger(label: "tintype") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = Logger.Level(rawValue: logLevel.rawValue) ?? .info
        return logger
    }
}
