import API
import ArgumentParser
import Files
import Foundation
import Inbox
import TreeModel
import Uploads

/// Lists, retries or deletes files that could not become a post.
struct InboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inbox",
        abstract: "List, retry or delete files that could not become a post.",
        discussion: """
            Files that can never become a post are in STORAGE/failed/REASON/USER/, unchanged, each with a file that gives the \
            reason. These commands work on that folder, whether the service runs or not.

            EXAMPLES
              tintype inbox ls
              tintype inbox ls --user maria --json
              tintype inbox retry --reason unknown_user
              tintype inbox rm unsupported_format/maria/notes.txt --yes
              tintype inbox forgive lake.jpg
            """,
        subcommands: [List.self, Retry.self, Remove.self, Forgive.self])

    /// The options that select failed files.
    struct Selection: ParsableArguments {
        @OptionGroup var storage: StorageOptions

        @Option(help: ArgumentHelp("Only this user's files.", valueName: "user"))
        var user: String?

        @Option(help: ArgumentHelp("Only files that failed for this reason, such as corrupt.", valueName: "reason"))
        var reason: String?

        @Flag(help: "Print one JSON document for each file.")
        var json = false

        func files() throws -> FailedFiles {
            try FailedFiles(storage: storage.configuration().value(\.storage))
        }

        /// The message for an empty selection.
        var absence: String {
            "no failed files" + (user.map { " of \($0)" } ?? "") + (reason.map { " for the reason \($0)" } ?? "")
        }
    }

    /// The options of commands that change files. Without a choice, no file is chosen.
    struct Choice: ParsableArguments {
        @OptionGroup var selection: Selection

        @Argument(
            help: ArgumentHelp(
                "The paths, as \"tintype inbox ls\" prints them, or their ends, or names of sent photos.",
                valueName: "file"))
        var names: [String] = []

        @Flag(help: "Choose all failed files.")
        var all = false

        func validate() throws {
            if names.isEmpty, !all, selection.user == nil, selection.reason == nil {
                throw ValidationError("name what to change: files, --user, --reason or --all")
            }
        }

        func items() throws -> [FailedFiles.Item] {
            let items = try selection.files().items(reason: selection.reason, user: selection.user)
            for name in names where !items.contains(where: { Self.matches($0, name) }) {
                throw FileError(
                    .notFound, "no failed file is called \(name)", hint: "List all failed files with tintype inbox ls.")
            }
            return names.isEmpty ? items : items.filter { item in names.contains { Self.matches(item, $0) } }
        }

        private static func matches(_ item: FailedFiles.Item, _ name: String) -> Bool {
            item.path == name || item.path.hasSuffix("/" + name) || "failed/" + item.path == name
                || item.isSent(as: name)
        }

        /// Applies an action to each chosen file, and prints the results.
        ///
        /// - Throws: `ExitStatus` when some or all of them failed.
        func apply(_ outcome: OutcomeDocument.Outcome, _ action: (FailedFiles.Item) throws -> Void) async throws {
            let items = try items()
            if items.isEmpty { Terminal.note(selection.absence) }
            let batch = Batch(items, isJSON: selection.json) { OutcomeDocument(.failed, path: $0.path, failure: $1) }
            try await batch.forEach { item in
                try action(item)
                selection.json
                    ? Terminal.outputJSON(OutcomeDocument(outcome, path: item.path))
                    : Terminal.output("\(outcome.rawValue)  \(item.title.printable)")
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List the files that could not become a post, and why.",
            usage: "tintype inbox ls [<options>]",
            discussion: """
                Each file is listed by the name that its sender gave, and the sender, if the service runs by name. The last \
                line of each is its path, for other commands.

                EXAMPLES
                  tintype inbox ls
                  tintype inbox ls --reason corrupt --json | jq -r .path
                """)

        @OptionGroup var selection: Selection

        func run() async throws {
            let items = try selection.files().items(reason: selection.reason, user: selection.user)
            var names = PersonNames(try APIClient(selection.storage))
            for item in items {
                if selection.json { Terminal.outputJSON(item.document) } else { await show(item, &names) }
            }
            if items.isEmpty { Terminal.note(selection.absence) }
        }

        /// Prints the name that the sender gave and the sender, then the reason, then the path for other commands.
        private func show(_ item: FailedFiles.Item, _ names: inout PersonNames) async {
            let document = item.document
            let hint = document.hint.isEmpty ? "" : ". \(document.hint)"
            let sender = await sender(document.user, &names)
            Terminal.output("\(document.failedAt.time)  \(document.name)\(sender)".printable)
            Terminal.output("    \(document.message)\(hint)".printable)
            Terminal.output("    \(document.path)".printable)
        }

        /// The sender's name and id, with two spaces before them; the id alone while no service knows the name.
        private func sender(_ user: String?, _ names: inout PersonNames) async -> String {
            guard let user else { return "" }
            let name = await names.name(of: user)
            return ["-", user].contains(name) ? "  \(user)" : "  \(name) (\(user))"
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "retry",
            abstract: "Move files back into the inbox, to be tried again.",
            usage: "tintype inbox retry [<file> ...] [<options>]",
            discussion: """
                Each file is moved back to its former path, under its old name and with its text; it never replaces another \
                file. Remove the cause first: a file that is still not a photo fails again. A photo that made its decoder fail \
                is decoded once more.

                EXAMPLES
                  tintype inbox retry unsupported_format/maria/lake.jpg
                  tintype inbox retry --reason unknown_user --user maria
                  tintype inbox retry --all
                """)

        @OptionGroup var choice: Choice

        func run() async throws {
            let files = try choice.selection.files()
            try await choice.apply(.retried) { try files.retry($0) }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rm",
            abstract: "Delete files that could not become a post.",
            usage: "tintype inbox rm [<file> ...] [<options>]",
            discussion: """
                The command shows the number and the size of the files and asks for confirmation; use --yes in scripts.

                EXAMPLES
                  tintype inbox rm unsupported_format/maria/notes.txt --yes
                  tintype inbox rm --reason duplicate --yes
                """)

        @OptionGroup var choice: Choice

        @Flag(name: .shortAndLong, help: "Delete without confirmation.")
        var yes = false

        func run() async throws {
            let files = try choice.selection.files()
            let items = try choice.items()
            if !yes, !items.isEmpty {
                let bytes = items.reduce(0) { $0 + ($1.byteCount ?? 0) }
                let files = StatusText.count(items.count, "file")
                try Terminal.confirm("delete \(files) (\(StatusText.size(bytes))) for good")
            }
            try await choice.apply(.dropped) { try files.drop($0) }
        }
    }

    struct Forgive: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "forgive",
            abstract: "Allow photos to be decoded again after their decoder failed.",
            discussion: """
                When a photo makes its decoder fail, its bytes are rejected for thirty days, from every sender and in \
                every way, unless the decoders change. This command ends the rejection; send the photo again \
                afterwards.

                EXAMPLES
                  tintype inbox forgive lake.jpg && tintype upload lake.jpg --user maria
                """)

        @OptionGroup var storage: StorageOptions

        @Argument(help: ArgumentHelp("The photos, in any folder.", valueName: "photo"))
        var photos: [String]

        func run() async throws {
            let files = try FailedFiles(storage: storage.configuration().value(\.storage))
            for photo in photos {
                let url = URL(fileURLWithPath: photo).resolvingSymlinksInPath()
                try files.forgive(url.lastPathComponent, in: Directory(path: url.deletingLastPathComponent().path))
                Terminal.output("forgiven  \(photo.printable)")
            }
        }
    }
}
