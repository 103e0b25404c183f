import API
import ArgumentParser
import Foundation
import HTTPTypes

extension PostCommand {
    /// Deletes posts that have reached an age.
    struct Expire: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "expire",
            abstract: "Delete posts that are older than a given age.",
            usage: "tintype post expire --older-than <time> [<options>]",
            discussion: """
                The command counts the posts and the bytes of their files, and asks for confirmation; use --yes in scripts. \
                Posts are deleted as by "tintype post rm". With the setting post-retention the service deletes old posts by \
                itself. This command needs the running service.

                EXAMPLES
                  tintype post expire --older-than 365d --dry-run
                  tintype post expire --older-than 30d --yes
                """)

        @OptionGroup var storage: StorageOptions

        @Option(help: ArgumentHelp("The age, such as 30d or 12h.", valueName: "time"))
        var olderThan: String

        @Flag(help: "Only count the posts.")
        var dryRun = false

        @Flag(help: "Delete without confirmation.")
        var yes = false

        @Flag(help: "Print one JSON document.")
        var json = false

        func run() async throws {
            guard let age = SettingParsers.duration(olderThan), age >= .seconds(60) else {
                throw ValidationError("--older-than needs \(SettingParsers.durationExpectation), at least 60s")
            }
            let service = try APIClient(storage)
            let seconds = age.components.seconds
            let found = try await all(service, seconds, isDryRun: true)
            if !dryRun, found.posts > 0 {
                if !yes {
                    Terminal.note("\(found.posts) posts, \(found.size)")
                    try Terminal.confirm("delete these posts for good")
                }
                return report(try await all(service, seconds, isDryRun: false))
            }
            report(ExpiryDocument(posts: found.posts, bytes: found.bytes, deleted: !dryRun, next: nil))
        }

        /// Sends requests until no posts are left.
        private func all(_ service: APIClient, _ seconds: Int64, isDryRun: Bool) async throws -> ExpiryDocument {
            var (posts, bytes) = (0, 0)
            var next: String?
            repeat {
                let page: ExpiryDocument = try await service.read(
                    .post, "/v1/expire", query: ["older_than": "\(seconds)", "dry_run": "\(isDryRun)", "after": next])
                (posts, bytes, next) = (posts + page.posts, bytes + page.bytes, page.next)
            } while next != nil
            return ExpiryDocument(posts: posts, bytes: bytes, deleted: !isDryRun, next: nil)
        }

        private func report(_ result: ExpiryDocument) {
            guard !json else { return Terminal.outputJSON(result) }
            Terminal.output("\(result.deleted ? "deleted" : "found")  \(result.posts) posts  \(result.size)")
        }
    }
}

extension ExpiryDocument {
    fileprivate var size: String { "\(bytes) bytes" }
}
