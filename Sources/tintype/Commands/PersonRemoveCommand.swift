import API
import ArgumentParser
import HTTPTypes
import Uploads

extension PersonCommand {
    /// Deletes people with all that is of them or about them.
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rm",
            abstract: "Delete people, and all that they made or that is about them.",
            discussion: """
                Posts, comments, likes, follows, blocks, notifications and feeds go, and then a receipt is printed, with the \
                number of each. The files of posts are deleted after the grace period (the setting grace-period). Accounts \
                stay: "tintype user rm" deletes these. The command shows the people and asks first; use --yes where nobody can \
                be asked. The service goes on when the command is stopped, and running it again shows how far that is.

                EXAMPLES
                  tintype person set jan --name Jan
                  tintype person rm jan
                  tintype person rm --yes ann ed
                """)

        @OptionGroup var storage: StorageOptions

        // Some ids begin with a dash, so the parser takes them for options that it does not know.
        @Argument(parsing: .allUnrecognized, help: ArgumentHelp("The ids of people.", valueName: "uid"))
        var people: [String]

        @Flag(help: "Delete without asking.")
        var yes = false

        @Flag(help: "Print one JSON document for each person.")
        var json = false

        func validate() throws { try PersonID.check(people) }

        func run() async throws {
            let service = try APIClient(storage)
            let batch = Batch(people: people, isJSON: json)
            if !yes {
                let whom = people.count == 1 ? "this person with all" : "these \(people.count) people with all their"
                try await batch.confirm("delete \(whom) posts for good") { uid in
                    let person: PersonDocument = try await service.read(.get, PersonID.path(uid))
                    return person.line + (person.counts.map { "  posts \($0.posts)" } ?? "")
                }
            }
            try await batch.forEach { uid in
                let receipt = try await Self.delete(uid, service)
                json ? Terminal.outputJSON(receipt) : Terminal.output(receipt.line)
            }
        }

        /// Has somebody deleted, and waits until nothing is left.
        ///
        /// - Returns: The receipt.
        private static func delete(_ uid: String, _ service: APIClient) async throws -> PersonDeletionDocument {
            var receipt: PersonDeletionDocument = try await service.read(.delete, PersonID.path(uid))
            var (progress, shown, pause) = (ProgressBar("things removed"), 0, Duration.milliseconds(50))
            while receipt.ended == nil {
                if receipt.removed.count > shown {
                    shown = receipt.removed.count
                    progress.update(shown, of: nil, note: uid.printable)
                }
                try await Task.sleep(for: pause)
                pause = min(pause * 2, .seconds(1))
                receipt = try await service.read(.get, "\(PersonID.path(uid))/deletion")
            }
            progress.finish()
            return receipt
        }
    }
}

extension PersonDeletionDocument.Removed {
    private var parts: [(name: String, count: Int)] {
        [
            ("uploads", uploads), ("posts", posts), ("comments", comments), ("likes", likes), ("flags", flags),
            ("following", following),
            ("followers", followers), ("blocks", blocks), ("notifications", notifications), ("feed", feed),
        ]
    }

    fileprivate var count: Int { parts.reduce(0) { $0 + $1.count } }

    /// What there was, with its numbers.
    fileprivate var words: String {
        parts.filter { $0.count > 0 }.map { "\($0.name) \($0.count)" }.joined(separator: ", ")
    }
}

extension PersonDeletionDocument {
    /// The receipt on one line.
    fileprivate var line: String {
        (["deleted", uid] + [removed.words].filter { !$0.isEmpty }).joined(separator: "  ").printable
    }
}
