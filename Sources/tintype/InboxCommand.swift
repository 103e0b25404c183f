import ArgumentParser
import Files
import Foundation
import Inbox
import Pipeline
import Tree

/// Looks after what could not become a post.
struct InboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inbox",
        abstract: "List, retry or delete what could not become a post.",
        discussion: """
            What can never become a post lies in STORAGE/failed/REASON/USER/, as it was, with the reason beside it. These \
            commands work on that folder, whether the service runs or not.

            EXAMPLES
              tintype inbox ls
              tintype inbox ls --user maria --json
              tintype inbox retry --reason unknown_user
              tintype inbox drop unsupported_format/maria/notes.txt --yes
              tintype inbox forgive lake.jpg
            """,
        subcommands: [List.self, Retry.self, Drop.self, Forgive.self])

    /// Which of the things that failed.
    struct Selection: ParsableArguments {
        @OptionGroup var storage: StorageOptions

        @Option(help: ArgumentHelp("Only what belongs to this person.", valueName: "user"))
        var user: String?

        @Option(help: ArgumentHelp("Only what failed for this reason, such as corrupt.", valueName: "reason"))
        var reason: String?

        @Flag(help: "Print one JSON document a line.")
        var json = false

        func files() throws -> FailedFiles {
            try FailedFiles(storage: storage.configuration().value(Settings.storage))
        }

        /// What is said where there is none.
        var absence: String {
            "nothing failed" + (user.map { " of \($0)" } ?? "") + (reason.map { " for the reason \($0)" } ?? "")
        }
    }

    /// Which of them to do something about: nothing is chosen by accident.
    struct Choice: ParsableArguments {
        @OptionGroup var selection: Selection

        @Argument(help: ArgumentHelp("What \"tintype inbox ls\" prints, or the end of it.", valueName: "file"))
        var names: [String] = []

        @Flag(help: "Everything that failed.")
        var all = false

        func validate() throws {
            if names.isEmpty, !all, selection.user == nil, selection.reason == nil {
                throw ValidationError("say what: files, --user, --reason or --all")
            }
        }

        func items() throws -> [FailedFiles.Item] {
            let items = try selection.files().items(reason: selection.reason, user: selection.user)
            for name in names where !items.contains(where: { Self.matches($0, name) }) {
                throw FileError(
                    .notFound, "nothing that failed is called \(name)", hint: "tintype inbox ls lists it all")
            }
            return names.isEmpty ? items : items.filter { item in names.contains { Self.matches(item, $0) } }
        }

        private static func matches(_ item: FailedFiles.Item, _ name: String) -> Bool {
            item.path == name || item.path.hasSuffix("/" + name) || "failed/" + item.path == name
        }

        /// Does it to each, and says so.
        func apply(_ verb: String, _ action: (FailedFiles.Item) throws -> Void) throws {
            let items = try items()
            var failures = 0
            for item in items {
                do {
                    try action(item)
                    if selection.json {
                        Terminal.emit(["path": .string(item.path), "outcome": .string(verb)])
                    } else {
                        Terminal.say("\(verb)  \(item.path.printable)")
                    }
                } catch let error as FileError {
                    failures += 1
                    Terminal.complain("\(error)".printable)
                    guard selection.json else { continue }
                    Terminal.emit([
                        "path": .string(item.path), "outcome": "failed", "code": .string(error.code.rawValue),
                        "message": .string(error.message), "hint": .string(error.hint),
                    ])
                }
            }
            if items.isEmpty { Terminal.tell(selection.absence) }
            if failures > 0 { throw failures == items.count ? Outcome.failed : Outcome.partial }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List what could not become a post, and why.",
            usage: "tintype inbox ls [<options>]",
            discussion: """
                EXAMPLES
                  tintype inbox ls
                  tintype inbox ls --reason corrupt --json | jq -r .path
                """)

        @OptionGroup var selection: Selection

        func run() async throws {
            let items = try selection.files().items(reason: selection.reason, user: selection.user)
            for item in items {
                if selection.json { Terminal.emit(item.json) } else { show(item) }
            }
            if items.isEmpty { Terminal.tell(selection.absence) }
        }

        private func show(_ item: FailedFiles.Item) {
            let time = Date(timeIntervalSince1970: Double(item.reason.failedAt) / 1000).formatted(.iso8601)
            let hint = item.reason.hint.isEmpty ? "" : " (\(item.reason.hint))"
            Terminal.say("\(time)  \(item.path.printable)")
            Terminal.say("    \(item.reason.message)\(hint)".printable)
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "retry",
            abstract: "Put files back into the inbox, to be tried again.",
            usage: "tintype inbox retry [<file> ...] [<options>]",
            discussion: """
                Each goes where it came from, under its old name and with its text; a file that is there is never replaced. \
                Mend the cause first: what is still no photo fails again. What broke its decoder is decoded once more.

                EXAMPLES
                  tintype inbox retry unsupported_format/maria/lake.jpg
                  tintype inbox retry --reason unknown_user --user maria
                  tintype inbox retry --all
                """)

        @OptionGroup var choice: Choice

        func run() async throws {
            let files = try choice.selection.files()
            try choice.apply("retried") { try files.retry($0) }
        }
    }

    struct Drop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "drop",
            abstract: "Delete files that could not become a post.",
            usage: "tintype inbox drop [<file> ...] [<options>]",
            discussion: """
                Says how many and how much, and asks; --yes is the answer where nobody can be asked.

                EXAMPLES
                  tintype inbox drop unsupported_format/maria/notes.txt --yes
                  tintype inbox drop --reason duplicate --yes
                """)

        @OptionGroup var choice: Choice

        @Flag(name: .shortAndLong, help: "Do not ask.")
        var yes = false

        func run() async throws {
            let files = try choice.selection.files()
            let items = try choice.items()
            if !yes, !items.isEmpty {
                let bytes = items.reduce(0) { $0 + ($1.byteCount ?? 0) }
                let size = bytes.formatted(.byteCount(style: .file))
                try Terminal.confirm("delete \(items.count) things (\(size)) for good")
            }
            try choice.apply("dropped") { try files.drop($0) }
        }
    }

    struct Forgive: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "forgive",
            abstract: "Have photos that broke their decoder decoded again.",
            discussion: """
                The same bytes are refused to everybody for thirty days, by whichever way they come, unless the decoders \
                change. This forgets it; then send the photo again.

                EXAMPLES
                  tintype inbox forgive lake.jpg && tintype upload lake.jpg --user maria
                """)

        @OptionGroup var storage: StorageOptions

        @Argument(help: ArgumentHelp("Photos, wherever they are.", valueName: "photo"))
        var photos: [String]

        func run() async throws {
            let files = try FailedFiles(storage: storage.configuration().value(Settings.storage))
            for photo in photos {
                let url = URL(fileURLWithPath: photo).resolvingSymlinksInPath()
                try files.forgive(url.lastPathComponent, in: Directory(path: url.deletingLastPathComponent().path))
                Terminal.say("forgiven  \(photo.printable)")
            }
        }
    }
}
