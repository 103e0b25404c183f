import API
import ArgumentParser
import Foundation
import HTTPTypes
import Keeping
import Logging
import Model
import Service
import Store
import Tree
import TreeModel

/// Lists, deletes or accepts files that no post claims.
struct StoreUnclaimedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unclaimed",
        abstract: "List or delete files that no post claims.",
        discussion: """
            The files of a post are deleted when its deletion is recorded, and for no other reason. When the tree was \
            damaged, or an old copy of it was restored, there are files of posts that are not in the tree. They are kept \
            until you delete them here. These commands work whether the service runs or not.

            EXAMPLES
              tintype store unclaimed ls
              tintype store unclaimed rm --all --yes
              tintype store unclaimed accept
            """,
        subcommands: [List.self, Remove.self, Accept.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List the posts whose files are unclaimed.",
            usage: "tintype store unclaimed ls [<options>]",
            discussion: """
                Each line has the path (the owner and the post), the name of the owner, the number of files, and their size.

                EXAMPLES
                  tintype store unclaimed ls
                  tintype store unclaimed ls --json | jq -r .path
                """)

        @OptionGroup var storage: StorageOptions

        @Flag(help: "Print one JSON document for each post.")
        var json = false

        func run() async throws {
            let files = UnclaimedFilesAccess(storage: storage)
            let posts = try await files.list()
            guard !posts.isEmpty else { return Terminal.note("every file is claimed") }
            guard !json else {
                return posts.forEach { Terminal.outputJSON(JoinedDocument($0, PathDocument(path: $0.path))) }
            }
            let names = try await files.names(of: Set(posts.map(\.owner)))
            var table = TextTable([.whole("path"), .text("name"), .number("files"), .number("size")])
            let rows = posts.map { post in
                [
                    post.path, names[post.owner] ?? "-", StatusText.count(post.files, "file"),
                    ByteSize.text(post.bytes),
                ]
            }
            table.print(rows)
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rm",
            abstract: "Delete files that no post claims, including originals.",
            usage: "tintype store unclaimed rm (<path> ... | --all) [<options>]",
            discussion: """
                The command shows the files and asks for confirmation; use --yes in scripts.

                EXAMPLES
                  tintype store unclaimed rm maria/-OaBcDeFgHiJkLmNoPqR
                  tintype store unclaimed rm --all --yes
                """)

        @OptionGroup var storage: StorageOptions

        @Argument(
            help: ArgumentHelp(
                "The paths, as \"tintype store unclaimed ls\" prints them: USER/POST.", valueName: "path"))
        var paths: [String] = []

        @Flag(help: "Delete all unclaimed files.")
        var all = false

        @Flag(name: .shortAndLong, help: "Delete without confirmation.")
        var yes = false

        @Flag(help: "Print one JSON document for each post.")
        var json = false

        func validate() throws {
            if paths.isEmpty != all { throw ValidationError("name what to delete: USER/POST, or --all") }
        }

        func run() async throws {
            let files = UnclaimedFilesAccess(storage: storage)
            let listed = try await files.list()
            for path in paths where !listed.contains(where: { $0.path == path }) {
                throw Failure(
                    .notFound, "there are no unclaimed files at \(path)",
                    hint: "List all paths with tintype store unclaimed ls.")
            }
            let chosen = all ? listed : listed.filter { paths.contains($0.path) }
            guard !chosen.isEmpty else { return Terminal.note("every file is claimed") }
            if !yes {
                for post in chosen { Terminal.note(post.line) }
                let (posts, bytes) = (StatusText.count(chosen.count, "post"), chosen.reduce(0) { $0 + $1.bytes })
                try Terminal.confirm("delete the files of \(posts) (\(ByteSize.text(bytes))) for good")
            }
            let batch = Batch(chosen, isJSON: json) { OutcomeDocument(.failed, path: $0.path, failure: $1) }
            try await files.drop(batch) { post in
                json
                    ? Terminal.outputJSON(OutcomeDocument(.deleted, path: post.path))
                    : Terminal.output("deleted  \(post.path)")
            }
        }
    }

    struct Accept: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "accept",
            abstract: "Accept that the tree and the blobs are of different ages.",
            usage: "tintype store unclaimed accept [<options>]",
            discussion: """
                If a service finds at its start that the tree and the blobs are of different ages, it deletes nothing. If that \
                is correct (you have restored a backup of one, and have none of the other), accept it here: clean-up \
                continues, and unclaimed files stay until you delete them.

                EXAMPLES
                  tintype store unclaimed accept
                """)

        @OptionGroup var storage: StorageOptions

        @Flag(name: .shortAndLong, help: "Accept without confirmation.")
        var yes = false

        func run() async throws {
            let files = UnclaimedFilesAccess(storage: storage)
            guard let hold = try await files.hold() else {
                return Terminal.note("the tree and the blobs have the same age: there is nothing to accept")
            }
            if !yes {
                Terminal.note(hold)
                let count = try await files.list().count
                try Terminal.confirm(
                    "accept them as one store (the files of \(count) posts are unclaimed, and stay)")
            }
            try await files.accept()
            Terminal.output("accepted")
        }
    }
}

/// The unclaimed files of a store, accessed through the service if it runs, and by this process otherwise.
private struct UnclaimedFilesAccess {
    let storage: StorageOptions

    func list() async throws -> [UnclaimedDocument] {
        try await storage.perform { service in
            try await service.send(.get, "/v1/unclaimed").split(separator: UInt8(ascii: "\n")).map {
                try UnclaimedDocument(json: $0)
            }
        } locally: { pipeline in
            try await pipeline.unclaimed.list()
        }
    }

    /// Returns the names of owners, by their ids, as far as they are people with names.
    func names(of owners: Set<String>) async throws -> [String: String] {
        try await storage.perform { service in
            var (names, found) = (PersonNames(service), [String: String]())
            for owner in owners { found[owner] = await names.name(of: owner) }
            return found
        } locally: { pipeline in
            try await pipeline.storage.tree.snapshot { snapshot in
                try Person.names(of: owners, in: snapshot)
            }
        }
    }

    func drop(_ batch: Batch<UnclaimedDocument>, _ report: (UnclaimedDocument) -> Void) async throws {
        try await storage.perform { service in
            try await batch.forEach { post in
                _ = try await service.send(
                    .delete, "/v1/unclaimed/\(post.owner.percentEncoded)/\(post.post)")
                report(post)
            }
        } locally: { pipeline in
            try await batch.forEach { post in
                guard let id = PostID(post.post) else { return }
                try await pipeline.unclaimed.remove(id, of: post.owner)
                report(post)
            }
        }
    }

    /// Returns the reason why clean-up is suspended; nil while it runs.
    func hold() async throws -> String? {
        try await storage.perform { service in
            let sweeps = try await service.read(.get, "/v1/status", as: StatusDocument.self).sweeps
            return sweeps.status == .held ? sweeps.message ?? "clean-up is suspended" : nil
        } locally: { pipeline in
            pipeline.janitor.hold?.message
        }
    }

    func accept() async throws {
        try await storage.perform { service in
            _ = try await service.send(.post, "/v1/unclaimed/accept")
        } locally: { pipeline in
            try await pipeline.unclaimed.acceptAge()
        }
    }
}

extension UnclaimedDocument {
    fileprivate var path: String { "\(owner)/\(post)" }

    fileprivate var line: String { "\(path)  \(StatusText.count(files, "file")), \(ByteSize.text(bytes))" }
}
