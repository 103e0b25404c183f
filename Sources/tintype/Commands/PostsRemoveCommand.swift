import API
import Access
import ArgumentParser
import Foundation
import HTTPTypes
import Pipeline
import Posts
import Tree
import TreeModel

extension PostsCommand {
    /// Deletes posts.
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rm",
            abstract: "Delete posts.",
            discussion: """
                A post is deleted at once, from its author's list and feed and from its hashtags too. Its files, the \
                originals included, are deleted after the grace period (the setting grace-period). The command shows the posts \
                and asks first; use --yes where nobody can be asked. It works whether the service runs or not.

                EXAMPLES
                  tintype posts rm -OaBcDeFgHiJkLmNoPqR
                  tintype posts rm --yes $(tintype posts --user maria --json | jq -r '.posts[].post_id')
                """)

        @OptionGroup var storage: StorageOptions

        // Ids begin with a dash, so the parser takes them for options that it does not know.
        @Argument(
            parsing: .allUnrecognized,
            help: ArgumentHelp("The ids that \"tintype posts\" prints first.", valueName: "id"))
        var ids: [String]

        @Flag(help: "Delete without asking.")
        var yes = false

        @Flag(help: "Print one JSON document for each post.")
        var json = false

        func run() async throws {
            let ids = try ids.map { text in
                guard let id = PostID(text) else { throw ValidationError("\"\(text.prefix(80))\" is no post's id") }
                return id
            }
            var failures = 0
            do {
                let service = try APIClient(storage)
                try await ask(ids) { try await service.read(.get, "/v1/posts/\($0)", as: PostDocument.self).value }
                for id in ids {
                    failures += try await report(id) { _ = try await service.send(.delete, "/v1/posts/\(id)") }
                }
            } catch let error as Failure where error.code == .noService {
                failures = try await storage.configuration().withPipeline { pipeline in
                    try await ask(ids) { id in
                        try await pipeline.tree.snapshot { try $0.record(ofPost: id) }
                    }
                    var failures = 0
                    for id in ids {
                        failures += try await report(id) { _ = try await pipeline.publisher.deletePost(id, by: .admin) }
                    }
                    return failures
                }
            }
            if failures > 0 { throw failures == ids.count ? ExitStatus.failed : ExitStatus.partial }
        }

        /// Shows the posts, and asks whether they are to be deleted.
        private func ask(_ ids: [PostID], _ read: (PostID) async throws -> TreeValue?) async throws {
            guard !yes else { return }
            for id in ids {
                do {
                    Terminal.note(Self.line(of: id, try await read(id)))
                } catch let error as Failure where error.code != .noService {
                    Terminal.error("\(id): \(error)".printable)
                }
            }
            try Terminal.confirm(
                ids.count == 1 ? "delete this post for good" : "delete these \(ids.count) posts for good")
        }

        /// A post's id, author and text on one line; clients may have written anything into the record.
        private static func line(of id: PostID, _ post: TreeValue?) -> String {
            let author = post?["author"]?["uid"]?.stringValue ?? ""
            let text = (post?["text"]?.stringValue ?? "").replacingOccurrences(of: "\n", with: " ").prefix(60)
            return "\(id)  \(author)  \(text)".printable
        }

        /// Deletes a post and prints the result.
        ///
        /// - Returns: 1 when it was refused, else 0.
        private func report(_ id: PostID, _ delete: () async throws -> Void) async throws -> Int {
            do {
                try await delete()
                if json {
                    Terminal.outputJSON(OutcomeDocument(.deleted, postID: id.description))
                } else {
                    Terminal.output("deleted  \(id)")
                }
                return 0
            } catch let error as Failure where error.code != .noService {
                Terminal.error("\(id): \(error)")
                if json { Terminal.outputJSON(OutcomeDocument(.failed, postID: id.description, failure: error)) }
                return 1
            }
        }
    }
}
