import API
import ArgumentParser
import Cryptography
import Glibc
import Model
import Server
import TreeModel

/// The root of the command line. Each command has its own file in `Commands`.
@main
struct Tintype: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tintype",
        abstract: "Turns photos into published posts.",
        discussion: """
            EXAMPLES
              tintype serve --listen 127.0.0.1:8080     start the service on ./Storage
              mkdir -p Storage/inbox/maria              a folder for each user;
              cp photo.jpg Storage/inbox/maria/         a photo dropped in is maria's post
              tintype upload photo.jpg --user maria --text "At the lake #summer"
              tintype inbox ls                          what could not be posted, and why
              tintype ops                               a link to the page for operators
              tintype rethumb plan                      what would the new recipes change?
              tintype photo render *.jpg --out thumbs   make thumbnails, no service needed

            EXIT CODES
              0 done · 1 failed · 2 wrong usage · 3 some items refused · 75 try again later
            """,
        version: ServiceVersion.current,
        subcommands: [RenderWorkerCommand.self, ListsCommand.self],
        groupedSubcommands: [
            CommandGroup(
                name: "Service",
                subcommands: [
                    InitCommand.self, ServeCommand.self, StatusCommand.self, OpsCommand.self, ConfigCommand.self,
                    APICommand.self,
                ]),
            CommandGroup(
                name: "People",
                subcommands: [
                    UserCommand.self, InviteCommand.self, AudienceCommand.self, KeyCommand.self, PersonCommand.self,
                    QuotaCommand.self,
                    AnnouncementCommand.self, NotificationCommand.self, OutboxCommand.self,
                ]),
            CommandGroup(
                name: "Posts",
                subcommands: [
                    UploadCommand.self, InboxCommand.self, PostCommand.self, FlagCommand.self, PhotoCommand.self,
                ]),
            CommandGroup(name: "Tree", subcommands: [TreeCommand.self, RulesCommand.self]),
            CommandGroup(
                name: "Store",
                subcommands: [
                    StoreCommand.self, BackupCommand.self, RethumbCommand.self, OriginalsCommand.self,
                ]),
        ])

    static func main() async {
        CryptoLibrary.keepUntilEnd()
        if let fault = CommandNames.fault(in: Array(CommandLine.arguments.dropFirst())) {
            Terminal.error(fault)
            Glibc.exit(ExitStatus.wrongUsage.rawValue)
        }
        do {
            var command = try parsedCommand()
            if !(command is RenderWorkerCommand) { Configuration.unknownVariables().forEach(Terminal.error) }
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            Glibc.exit(ExitStatus.report(error, of: Self.self) { SettingFlags.explanation(of: $0) })
        }
        if let fault = Terminal.outputFault { Glibc.exit(ExitStatus.report(fault, of: Self.self)) }
    }

    /// Parses the arguments.
    ///
    /// When the arguments have an error, the parser reads an `h` in an id that begins with a dash as a request for
    /// help. The name of a long option may look like an id.
    private static func parsedCommand() throws -> any ParsableCommand {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let command = try parseAsRoot(arguments)
        _ = try parseAsRoot(
            arguments.map { PostID($0) == nil || $0.hasPrefix("--") ? $0 : $0.replacing("h", with: "g") })
        return command
    }
}
