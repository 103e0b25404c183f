import API
import ArgumentParser

/// The size and the form of a list that is printed.
struct ListOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The largest number of entries (default: all).", valueName: "n"))
    var limit: Int?

    @Flag(help: "Print one JSON document for each.")
    var json = false

    func validate() throws { try Pages.check(limit: limit) }

    /// Prints a list.
    ///
    /// - Parameters:
    ///   - pageSize: The largest number of entries on a page.
    ///   - nothing: The note for an empty list.
    ///   - read: The reader of pages, as in ``Pages/forEach(limit:pageSize:from:_:_:)``.
    ///   - line: Formats an entry for people.
    func print<Entry: Document>(
        pageSize: Int = PageSize.max, nothing: String, _ read: Pages.Reader<Entry>, line: (Entry) -> String
    ) async throws {
        let count = try await Pages.forEach(limit: limit, pageSize: pageSize, read) { entry in
            json ? Terminal.outputJSON(entry) : Terminal.output(line(entry))
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
        var (count, next) = (0, position)
        repeat {
            let page = try await read(min(pageSize, (limit ?? .max) - count), next)
            for entry in page.entries { try body(entry) }
            count += page.entries.count
            next = page.next
        } while next != nil && count < limit ?? .max
        return count
    }
}
