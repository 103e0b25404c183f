import API
import ArgumentParser
import Foundation
import HTTPTypes
import Pipeline

/// Lists announcements, and takes them back.
struct AnnouncementsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "announcements",
        abstract: "List what was announced, or take it back.",
        discussion: """
            These commands need the running service.

            EXAMPLES
              tintype announcements ls --limit 5
              tintype announcements rm $(tintype announcements ls --limit 1 | cut -d' ' -f1)
            """,
        subcommands: [List.self, Remove.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List what was announced to everybody, the newest first.",
            discussion: """
                EXAMPLES
                  tintype announcements ls --limit 5
                  tintype announcements ls --json | jq -r .text
                """)

        @OptionGroup var storage: StorageOptions

        @Option(help: ArgumentHelp("The number of announcements (default: all).", valueName: "n"))
        var limit: Int?

        @Flag(help: "Print one JSON document for each announcement.")
        var json = false

        func validate() throws {
            guard limit.map({ $0 >= 1 }) ?? true else { throw ValidationError("--limit has to be 1 or more") }
        }

        func run() async throws {
            let service = try APIClient(storage)
            var count = 0
            var next: String?
            repeat {
                let size = min(AnnouncementPageDocument.maxAnnouncements, (limit ?? .max) - count)
                let page: AnnouncementPageDocument = try await service.read(
                    .get, "/v1/announcements", query: ["limit": "\(size)", "before": next])
                for announcement in page.announcements {
                    json ? Terminal.outputJSON(announcement) : Terminal.output(announcement.line)
                }
                count += page.announcements.count
                next = page.next
            } while next != nil && count < limit ?? .max
            if count == 0 { Terminal.note("nothing was announced yet") }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rm",
            abstract: "Take announcements back, from everybody's notifications too.",
            discussion: """
                EXAMPLE
                  tintype announcements rm $(tintype announcements ls --limit 1 | cut -d' ' -f1)
                """)

        @OptionGroup var storage: StorageOptions

        // Ids begin with a dash, so the parser takes them for options that it does not know.
        @Argument(
            parsing: .allUnrecognized,
            help: ArgumentHelp("The ids that \"tintype announcements ls\" prints first.", valueName: "id"))
        var ids: [String]

        @Flag(help: "Print one JSON document for each announcement.")
        var json = false

        func run() async throws {
            let service = try APIClient(storage)
            var failures = 0
            for id in ids {
                do {
                    let deleted: AnnouncementDeletionDocument = try await service.read(
                        .delete, "/v1/announcements/\(APIClient.percentEncoded(id))")
                    json ? Terminal.outputJSON(deleted) : Terminal.output("deleted  \(deleted.id)".printable)
                } catch let error as Failure where !error.isTransient && error.code != .noService {
                    Terminal.error("\(id): \(error)".printable)
                    failures += 1
                }
            }
            if failures > 0 { throw failures == ids.count ? ExitStatus.failed : ExitStatus.partial }
        }
    }
}

extension AnnouncementDocument {
    fileprivate var line: String {
        let time = Date(timeIntervalSince1970: Double(timestamp) / 1000).formatted(.iso8601)
        let words = [title, text].compactMap(\.self).joined(separator: ": ").split(whereSeparator: \.isNewline)
        return "\(id)  \(time)  \(words.joined(separator: " "))".printable
    }
}
