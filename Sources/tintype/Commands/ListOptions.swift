import API
import ArgumentParser

/// The size and the form of a list that is printed.
struct ListOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The largest number of entries (default: all).", valueName: "n"))
    var limit: Int?

    @Flag(help: "Print one JSON document for each entry.")
    var json = false

    func validate() throws { try Pages.check(limit: limit) }

    /// Prints a list.
    ///
    /// - Parameters:
    ///   - pageSize: The largest number of entries on a page.
    ///   - nothing: The note for an empty list.
    ///   - columns: The columns of the list for people.
    ///   - read: The reader of pages, as in ``Pages/forEach(limit:pageSize:from:_:_:)``.
    ///   - row: Returns the cells of an entry.
    func print<Entry: Document>(
        pageSize: Int = PageSize.max, nothing: String, columns: [TextTable.Column], _ read: Pages.Reader<Entry>,
        row: (Entry) async throws -> [String]
    ) async throws {
        var table = TextTable(columns)
        let count = try await Pages.forEachPage(limit: limit, pageSize: pageSize, read) { entries in
            guard !json else { return entries.forEach { Terminal.outputJSON($0) } }
            var rows: [[String]] = []
            for entry in entries { rows.append(try await row(entry)) }
            table.print(rows)
        }
        if count == 0 { Terminal.note(nothing) }
    }
}

/// Lists that the service sends page by page.
enum Pages {
    /// Reads a page of at most `size` entries after a position, or at the beginning for nil.
    ///
    /// It returns the entries and the position after them; nil when they were the last.
    typealias Reader<Entry> = (_ size: Int, _ position: String?) async throws -> (entries: [Entry], next: String?)

    /// Rejects a limit below 1.
    static func check(limit: Int?) throws {
        guard limit.map({ $0 >= 1 }) ?? true else { throw ValidationError("--limit must be 1 or more") }
    }

    /// Calls a function with each entry of a list.
    ///
    /// - Parameters:
    ///   - limit: The largest number of entries; nil for all.
    ///   - pageSize: The largest number of entries on a page.
    ///   - position: The position to begin at; nil for the beginning.
    /// - Returns: The number of entries.
    @discardableResult
    static func forEach<Entry>(
        limit: Int? = nil, pageSize: Int = PageSize.max, from position: String? = nil, _ read: Reader<Entry>,
        _ body: (Entry) throws -> Void
    ) async throws -> Int {
        try await forEachPage(limit: limit, pageSize: pageSize, from: position, read) { try $0.forEach(body) }
    }

    /// Calls a function with each page of a list; the parameters are those of ``forEach(limit:pageSize:from:_:_:)``.
    ///
    /// - Returns: The number of entries.
    @discardableResult
    static func forEachPage<Entry>(
        limit: Int? = nil, pageSize: Int = PageSize.max, from position: String? = nil, _ read: Reader<Entry>,
        _ body: ([Entry]) async throws -> Void
    ) async throws -> Int {
        var (count, next) = (0, position)
        repeat {
            let page = try await read(min(pageSize, (limit ?? .max) - count), next)
            try await body(page.entries)
            count += page.entries.count
            next = page.next
        } while next != nil && count < limit ?? .max
        return count
    }
}
