import API
import Files
import Model
import TreeModel
import Uploads

/// Several things that a command deals with one after another, some of which may be refused.
struct Batch<Item> {
    let items: [Item]
    private let isJSON: Bool
    private let refusal: (Item, Failure) -> OutcomeDocument

    /// - Parameter refusal: What is printed of a thing that was refused, for programs.
    init(_ items: some Sequence<Item>, isJSON: Bool, refusal: @escaping (Item, Failure) -> OutcomeDocument) {
        self.items = Array(items)
        self.isJSON = isJSON
        self.refusal = refusal
    }

    /// Deals with each thing, also after one was refused; prints why it was.
    ///
    /// - Throws: `ExitStatus` when some or all were refused. What may succeed later, such as no service, ends it at once.
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
        guard failures == 0 else { throw failures == items.count ? ExitStatus.failed : ExitStatus.partial }
    }

    /// Shows each thing, and asks a person whether the action on them is to be carried out.
    ///
    /// - Throws: As `Terminal.confirm`.
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

    /// Tells a person why a thing was refused.
    ///
    /// - Returns: The same for programs.
    /// - Throws: The error itself when it is no refusal.
    @discardableResult
    private func report(_ error: any Error, about item: Item) throws -> OutcomeDocument {
        let failure: Failure
        switch error {
        case let error as Failure where !error.isTransient: failure = error
        // What one file is refused for says nothing of the others.
        case is FileError: failure = Failure(error)
        default: throw error
        }
        let document = refusal(item, failure)
        Terminal.error("\(document.name.prefix(200)): \(failure)".printable)
        return document
    }
}

extension Batch<String> {
    /// People, or accounts.
    init(people: some Sequence<String>, isJSON: Bool) {
        self.init(people, isJSON: isJSON) { OutcomeDocument(.failed, uid: $0, failure: $1) }
    }
}

extension Batch<PostID> {
    /// Posts.
    init(_ ids: [PostID], isJSON: Bool) {
        self.init(ids, isJSON: isJSON) { OutcomeDocument(.failed, postID: $0.description, failure: $1) }
    }
}

extension OutcomeDocument {
    /// What it is about, for people.
    fileprivate var name: String { postID ?? uid ?? id ?? path ?? "" }
}
