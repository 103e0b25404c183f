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

        @Option(
            help: ArgumentHelp(
                "Only this user's files: an id or, while the service runs, an e-mail address or a name.",
                valueName: "user"))
        var user: String?

        @Option(help: ArgumentHelp("Only files that failed for this reason, such as corrupt.", valueName: "reason"))
        var reason: String?

        @Flag(help: "Print one JSON document for each file.")
        var json = false

        func files() throws -> FailedFiles {
            try FailedFiles(storage: storage.configuration().value(\.storage))
        }

        func items() async throws -> [FailedFiles.Item] {
            let files = try files()
            try check(reason, in: files)
            let items = try files.items(reason: reason, user: user)
            // A folder may have an id that nobody has.
            guard items.isEmpty, let user else { return items }
            let uid = try await storage.uid(of: user)
            return uid == user ? [] : try files.items(reason: reason, user: uid)
        }

        /// Refuses a reason that is neither an error of this version nor the reason of any file.
        private func check(_ reason: String?, in files: FailedFiles) throws {
            guard let reason, ErrorCode(rawValue: reason) == nil else { return }
            let known = try files.reasons()
            guard !known.contains(reason) else { return }
            let list = known.isEmpty ? "no file has failed" : "files failed for \(known.joined(separator: ", "))"
            throw ValidationError("there is no reason \"\(reason.prefix(80))\"; \(list)".printable)
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
                "The paths, as \"tintype inbox ls\" prints them, or their ends, or names of sent photos that no others have.",
                valueName: "file"))
        var names: [String] = []

        @Flag(help: "Choose all failed files.")
        var all = false

        func validate() throws {
            if names.isEmpty, !all, selection.user == nil, selection.reason == nil {
                throw ValidationError("name what to change: files, --user, --reason or --all")
            }
        }

        func items() async throws -> [FailedFiles.Item] {
            let items = try await selection.items()
            guard !names.isEmpty else { return items }
            let chosen = Set(try names.flatMap { try items.named($0) }.map(\.path))
            return items.filter { chosen.contains($0.path) }
        }

        /// Applies an action to each chosen file, and prints the results.
        ///
        /// - Throws: `ExitStatus` when some or all of them failed.
        func apply(_ outcome: OutcomeDocument.Outcome, _ action: (FailedFiles.Item) throws -> Void) async throws {
            let items = try await items()
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
            let items = try await selection.items()
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
            let folder = item.fileCount.map { "  folder, \(StatusText.count($0, "file"))" } ?? ""
            Terminal.output("\(document.failedAt.time)  \(document.name)\(sender)\(folder)".printable)
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
            let items = try await choice.items()
            if !yes, !items.isEmpty {
                let bytes = items.reduce(0) { $0 + ($1.byteCount ?? 0) }
                let files = StatusText.count(items.reduce(0) { $0 + ($1.fileCount ?? 1) }, "file")
                try Terminal.confirm("delete \(files) (\(ByteSize.text(bytes))) for good")
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
