import API
import Files
import Model
import TreeModel
import Uploads

/// Several items that a command processes one after another. Single items may be rejected.
struct Batch<Item> {
    let items: [Item]
    private let isJSON: Bool
    private let refusal: (Item, Failure) -> OutcomeDocument

    /// - Parameter refusal: Returns the document that is printed for a rejected item.
    init(_ items: some Sequence<Item>, isJSON: Bool, refusal: @escaping (Item, Failure) -> OutcomeDocument) {
        self.items = Array(items)
        self.isJSON = isJSON
        self.refusal = refusal
    }

    /// Processes each item, and continues after a rejection, which is printed.
    ///
    /// - Throws: `ExitStatus` when some or all items were rejected. A transient error, such as a missing service, ends
    ///   the loop immediately.
    func forEach(_ body: (Item) async throws -> Void) async throws {
        var failures = 0
        for item in items {
            do {
                try await body(item)
            } catch {
                let document = try report(error, about: item)
                failures += 1
                if isJSON { Terminal.outputJSON(document) }
            }
        }
        try end(failures)
    }

    /// Finds what each item means, and processes what was found, and nothing else, after confirmation.
    ///
    /// - Parameter confirm: Shows what was found, and throws unless that may be processed. It is not called for nothing.
    /// - Throws: The errors of ``forEach(_:)`` and of `confirm`. Nothing has been processed if `find` throws a transient
    ///   error.
    func forEach<Found>(
        find: (Item) async throws -> Found, confirm: ([Found]) async throws -> Void,
        _ body: (Found) async throws -> Void
    ) async throws {
        var rows: [(item: Item, found: Found?, refusal: OutcomeDocument?)] = []
        for item in items {
            do {
                rows.append((item, try await find(item), nil))
            } catch {
                rows.append((item, nil, try report(error, about: item)))
            }
        }
        let found = rows.compactMap(\.found)
        if !found.isEmpty { try await confirm(found) }
        var failures = 0
        for var row in rows {
            do {
                if let found = row.found { try await body(found) }
            } catch {
                row.refusal = try report(error, about: row.item)
            }
            guard let refusal = row.refusal else { continue }
            failures += 1
            if isJSON { Terminal.outputJSON(refusal) }
        }
        try end(failures)
    }

    /// - Throws: `ExitStatus` when some or all items were rejected.
    private func end(_ failures: Int) throws {
        guard failures == 0 else { throw failures == items.count ? ExitStatus.failed : ExitStatus.partial }
    }

    /// Shows each item, and asks for confirmation of an action on them.
    ///
    /// - Throws: The errors of `Terminal.confirm`.
    func confirm(_ action: String, line: (Item) async throws -> String) async throws {
        for item in items {
            do {
                Terminal.note(try await line(item))
            } catch {
                try report(error, about: item)
            }
        }
        try Terminal.confirm(action)
    }

    /// Prints the reason why an item was rejected.
    ///
    /// - Returns: The document for programs.
    /// - Throws: The error itself when it does not concern the item alone.
    @discardableResult
    private func report(_ error: any Error, about item: Item) throws -> OutcomeDocument {
        let failure: Failure
        switch error {
        case let error as Failure where !error.isTransient: failure = error
        // An error of one file does not concern the others.
        case is FileError: failure = Failure(error)
        default: throw error
        }
        let document = refusal(item, failure)
        Terminal.error("\(document.name.prefix(200)): \(failure)".printable)
        return document
    }
}

extension Batch<String> {
    /// Creates a batch of people or accounts, by their ids.
    init(people: some Sequence<String>, isJSON: Bool) {
        self.init(people, isJSON: isJSON) { OutcomeDocument(.failed, uid: $0, failure: $1) }
    }
}

extension Batch<PostID> {
    /// Creates a batch of posts.
    init(_ ids: [PostID], isJSON: Bool) {
        self.init(ids, isJSON: isJSON) { OutcomeDocument(.failed, postID: $0.description, failure: $1) }
    }
}

extension OutcomeDocument {
    /// The item's id or path, for people.
    fileprivate var name: String { postID ?? uid ?? id ?? path ?? "" }
}
