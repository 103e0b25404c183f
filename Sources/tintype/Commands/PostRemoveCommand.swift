import API
import Access
import ArgumentParser
import HTTPTypes
import Model
import Service
import Tree
import TreeModel
import Uploads

extension PostCommand {
    /// Deletes posts.
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rm",
            abstract: "Delete posts.",
            usage: "tintype post rm <id> ... [<options>]",
            discussion: """
                A post is deleted immediately, also from its author's list and feed and from its hashtags. Its files, \
                including the originals, are deleted after the grace period (the setting grace-period). The command shows the \
                posts and asks for confirmation; use --yes in scripts. It works whether the service runs or not.

                EXAMPLES
                  tintype post rm -OaBcDeFgHiJkLmNoPqR
                  tintype post rm --yes \\
                    $(tintype post --user maria --json | jq -r '.posts[].post_id')
                """)

        @OptionGroup var storage: StorageOptions

        // Ids begin with a dash, so the parser reads them as unknown options.
        @Argument(
            parsing: .allUnrecognized,
            help: ArgumentHelp("The ids, the first column of \"tintype post\".", valueName: "id"))
        var ids: [String]

        @Flag(help: "Delete without confirmation.")
        var yes = false

        @Flag(help: "Print one JSON document for each post.")
        var json = false

        func run() async throws {
            let ids = try ids.map { try PostID(argument: $0) }
            let batch = Batch(ids, isJSON: json)
            try await storage.perform { service in
                try await remove(batch) { id in
                    try await service.read(.get, "/v1/posts/\(id)", as: PostDocument.self).value
                } delete: { id in
                    _ = try await service.send(.delete, "/v1/posts/\(id)")
                }
            } locally: { pipeline in
                try await remove(batch) { id in
                    try await pipeline.tree.snapshot { try $0.record(ofPost: id) }
                } delete: { id in
                    _ = try await pipeline.publisher.deletePost(id, by: .admin)
                }
            }
        }

        /// Asks for confirmation unless --yes is given, and deletes the posts.
        private func remove(
            _ batch: Batch<PostID>, read: (PostID) async throws -> TreeValue?, delete: (PostID) async throws -> Void
        ) async throws {
            if !yes {
                let count = batch.items.count
                try await batch.confirm(
                    count == 1 ? "delete this post for good" : "delete these \(count) posts for good"
                ) { Self.line(of: $0, try await read($0)) }
            }
            try await batch.forEach { id in
                try await delete(id)
                json
                    ? Terminal.outputJSON(OutcomeDocument(.deleted, postID: id.description))
                    : Terminal.output("deleted  \(id)")
            }
        }

        /// Returns a post's id, author and text on one line. Clients may have written anything into the record.
        private static func line(of id: PostID, _ post: TreeValue?) -> String {
            let author = post?["author"]?["uid"]?.stringValue ?? ""
            let text = (post?["text"]?.stringValue ?? "").oneLine.prefix(60)
            return "\(id)  \(author)  \(text)".printable
        }
    }
}
