import API
import ArgumentParser
import HTTPTypes
import Uploads

extension PersonCommand {
    /// Deletes people with everything that they created or that refers to them.
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rm",
            abstract: "Delete people, and everything that they created or that refers to them.",
            usage: "tintype person rm <person> ... [<options>]",
            discussion: """
                Posts, comments, likes, follows, blocks, notifications and feeds are deleted, and then a receipt with the \
                number of each is printed. The files of posts are deleted after the grace period (the setting grace-period). \
                Accounts stay: "tintype user rm" deletes these. The command shows the people and asks for confirmation; use \
                --yes in scripts. With --yes, a person is given by the id or the address, not by the name. If the command is \
                stopped, the service continues; run it again to see the progress.

                EXAMPLES
                  tintype person set jan --name Jan
                  tintype person rm jan
                  tintype person rm --yes ann ed
                """)

        @OptionGroup var storage: StorageOptions

        // Some ids begin with a dash, so the parser reads them as unknown options.
        @Argument(
            parsing: .allUnrecognized,
            help: ArgumentHelp("The ids, e-mail addresses or names of people.", valueName: "person"))
        var people: [String]

        @Flag(help: "Delete without confirmation.")
        var yes = false

        @Flag(help: "Print one JSON document for each person.")
        var json = false

        func validate() throws { try PersonID.check(people) }

        func run() async throws {
            let service = try APIClient(storage)
            let finder = PersonFinder(service: service)
            try await Batch(people: people, isJSON: json).forEach {
                try await finder.uid(of: $0, for: yes ? .deletion : .action)
            } confirm: { uids in
                if !yes { try await Self.confirm(uids, service) }
            } _: { uid in
                let receipt = try await Self.delete(uid, service)
                json ? Terminal.outputJSON(receipt) : Terminal.output(receipt.line)
            }
        }

        private static func confirm(_ uids: [String], _ service: APIClient) async throws {
            for uid in uids { Terminal.note(try await line(of: uid, service)) }
            let whom = uids.count == 1 ? "this person with all" : "these \(uids.count) people with all their"
            try Terminal.confirm("delete \(whom) posts for good")
        }

        /// Returns the line that shows a person: the id alone if there is no profile, as during a deletion.
        private static func line(of uid: String, _ service: APIClient) async throws -> String {
            do {
                let person: PersonDocument = try await service.read(.get, PersonID.path(uid))
                return person.line + (person.counts.map { "  posts \($0.posts)" } ?? "")
            } catch let error as Failure where !error.isTransient && error.code != .noService {
                return "\(uid): \(error)".printable
            }
        }

        /// Deletes a person, and waits until the deletion is complete.
        ///
        /// - Returns: The receipt.
        private static func delete(_ uid: String, _ service: APIClient) async throws -> PersonDeletionDocument {
            var receipt: PersonDeletionDocument = try await service.read(.delete, PersonID.path(uid))
            var (progress, shown, pause) = (ProgressBar("items removed"), 0, Duration.milliseconds(50))
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

    /// The removed items with their numbers.
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
