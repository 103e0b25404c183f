import API
import ArgumentParser
import HTTPTypes
import Keeping
import Model
import Service
import Uploads

/// Shows the disk usage of users' files.
struct QuotaListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "Show the disk usage of each user's files.",
        usage: "tintype quota ls [<user> ...] [<options>]",
        discussion: """
            A line for each user has the id, the name, and the sizes of originals, of objects of the bucket, of renditions that are shown, \
            of renditions of a run that are not shown yet, of garbage (which is deleted after the grace period), and \
            of drafts and unfinished uploads. The numbers are updated with every change, so the command is fast; \
            "tintype store check" compares them with the records.

            EXAMPLES
              tintype quota ls
              tintype quota ls maria
              tintype quota ls --sort bytes --limit 10
              tintype quota ls --json | jq -r 'select(.user) | [.user, .total.bytes] | @tsv'
            """)

    @OptionGroup var storage: StorageOptions

    @Argument(help: ArgumentHelp("Only these users, by their ids, e-mail addresses or names.", valueName: "user"))
    var users: [String] = []

    /// The order of the lines.
    enum Order: String, ExpressibleByArgument, CaseIterable {
        /// Largest first.
        case bytes
        case name
    }

    @Option(help: ArgumentHelp("The order: name, or bytes (largest first).", valueName: "order"))
    var sort = Order.name

    @Option(help: ArgumentHelp("The largest number of users (default: all).", valueName: "n"))
    var limit: Int?

    @Flag(help: "Print one JSON document for each user, and one for all.")
    var json = false

    func validate() throws {
        try Pages.check(limit: limit)
        if limit != nil, !users.isEmpty { throw ValidationError("--limit is for the list of all users") }
    }

    func run() async throws {
        guard users.isEmpty else { return try await showUsers() }
        var (lines, all, isComplete) = ([UsageDocument](), UsageDocument?.none, true)
        // The largest users are only known after all pages are read.
        try await Pages.forEach(limit: sort == .name ? limit : nil) { size, next in
            let page = try await page(after: next, limit: size)
            (all, isComplete) = (page.all, page.isComplete)
            return (page.users, page.next)
        } _: {
            lines.append($0)
        }
        if sort == .bytes { lines.sort { ($1.total.bytes, $0.user ?? "") < ($0.total.bytes, $1.user ?? "") } }
        print(Array(lines.prefix(limit ?? .max)), all: all)
        if !isComplete { Terminal.note("the numbers are not complete yet; the service is still counting") }
    }

    private func page(after user: String?, limit: Int) async throws -> UsagePageDocument {
        try await storage.perform { service in
            try await service.read(
                .get, "/v1/usage", query: ["after": user, "limit": "\(limit)"], as: UsagePageDocument.self)
        } locally: { pipeline in
            try await pipeline.upgrade.usage.run()
            return try await pipeline.usage.page(after: user.flatMap { UserID($0) }, limit: limit)
        }
    }

    private func showUsers() async throws {
        var lines: [UsageDocument] = []
        var failure: (any Error)?
        do {
            try await Batch(people: users, isJSON: json).forEach { lines.append(try await document(of: $0)) }
        } catch {
            failure = error
        }
        if sort == .bytes { lines.sort { ($1.total.bytes, $0.user ?? "") < ($0.total.bytes, $1.user ?? "") } }
        if !lines.isEmpty { print(lines, all: nil) }
        if let failure { throw failure }
    }

    private func document(of name: String) async throws -> UsageDocument {
        let uid = try await storage.uid(of: name)
        guard let user = UserID(uid) else { throw Failure.noUserID(uid) }
        return try await storage.perform { service in
            try await service.read(.get, "/v1/usage/\(user)", as: UsageDocument.self)
        } locally: { pipeline in
            try await pipeline.upgrade.usage.run()
            return try await pipeline.usage.document(of: user)
        }
    }

    private func print(_ lines: [UsageDocument], all: UsageDocument?) {
        let documents = lines + (all.map { [$0] } ?? [])
        guard !json else { return documents.forEach { Terminal.outputJSON($0) } }
        let hasQuotas = documents.contains { $0.quota != nil }
        let numbers = UsageKind.allCases.map(\.rawValue) + ["total"] + (hasQuotas ? ["used", "quota"] : [])
        let rows = documents.map { document in
            let sizes = UsageKind.allCases.map { document[$0] } + [document.total]
            var row = [document.user ?? "all together", document.name ?? (document.user == nil ? "" : "-")]
            row += sizes.map { $0.files == 0 ? "-" : ByteSize.text($0.bytes) }
            guard hasQuotas else { return row }
            return row + [ByteSize.text(document.used), document.quota.map(ByteSize.text) ?? "-"]
        }
        var table = TextTable([.whole("user"), .text("name")] + numbers.map { .number($0) })
        table.print(rows)
    }
}
