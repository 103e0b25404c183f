import API
import ArgumentParser

/// How much of a list is printed, and how.
struct ListOptions: ParsableArguments {
    @Option(help: ArgumentHelp("How many to list (default: all).", valueName: "n"))
    var limit: Int?

    @Flag(help: "Print one JSON document for each.")
    var json = false

    func validate() throws { try Pages.check(limit: limit) }

    /// Prints a list.
    ///
    /// - Parameters:
    ///   - pageSize: The most entries that a page may have.
    ///   - nothing: What is said when the list is empty.
    ///   - read: As in ``Pages/forEach(limit:pageSize:from:_:_:)``.
    ///   - line: An entry for people.
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
    /// Reads a page of at most so many entries, which begins behind a position, or at the beginning for nil.
    ///
    /// It returns the entries, and the position behind them; nil when they were the last.
    typealias Reader<Entry> = (_ size: Int, _ position: String?) async throws -> (entries: [Entry], next: String?)

    /// Refuses a limit that has no meaning.
    static func check(limit: Int?) throws {
        guard limit.map({ $0 >= 1 }) ?? true else { throw ValidationError("--limit has to be 1 or more") }
    }

    /// Calls a function with each entry of a list.
    ///
    /// - Parameters:
    ///   - limit: The most entries; nil for all.
    ///   - pageSize: The most entries that a page may have.
    ///   - position: Where to begin; nil for the beginning.
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
