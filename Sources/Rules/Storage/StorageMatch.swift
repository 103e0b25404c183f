import TreeModel

/// A `match` block of storage rules: a part of a path, and what is allowed at its end and further down.
final class StorageMatch: Sendable {
    /// A part of a path between slashes.
    enum Segment: Sendable, Equatable {
        case literal(String)
        /// Any one part, by a name.
        case one(String)
        /// All parts that are left but those that the segments after it take, by a name.
        case rest(String)

        /// The name that stands for what is there; nil for a literal.
        var name: String? {
            switch self {
            case .literal: nil
            case .one(let name), .rest(let name): name
            }
        }
    }

    /// `allow …: if …;`
    struct Allowance: Sendable {
        let operations: [StorageOperation]
        /// nil where nothing is asked.
        let condition: Syntax?
        /// The offset of the word `allow` in the text.
        let offset: Int
    }

    let segments: [Segment]
    let allowances: [Allowance]
    let matches: [StorageMatch]
    /// All functions that can be called here, by their names.
    let functions: [String: StorageFunction]

    init(
        _ segments: [Segment], allowing allowances: [Allowance], _ matches: [StorageMatch],
        functions: [String: StorageFunction]
    ) {
        self.segments = segments
        self.allowances = allowances
        self.matches = matches
        self.functions = functions
    }

    /// Takes the parts of a path that the segments are for.
    ///
    /// - Parameter minimumOfRest: How many parts ``Segment/rest(_:)`` takes at least.
    /// - Returns: What is left, and what the names stand for; nil if the path is another one.
    func bindings(
        for path: ArraySlice<String>, minimumOfRest: Int
    ) -> (rest: ArraySlice<String>, bindings: [String: StorageValue])? {
        var (left, bindings): (ArraySlice<String>, [String: StorageValue]) = (path, [:])
        for (index, segment) in segments.enumerated() {
            if case .rest(let name) = segment {
                let count = left.count - (segments.count - index - 1)
                guard count >= minimumOfRest else { return nil }
                bindings[name] = .string(left.prefix(count).joined(separator: "/"))
                left = left.dropFirst(count)
                continue
            }
            guard let part = left.popFirst() else { return nil }
            switch segment {
            case .literal(let literal): guard literal.hasSameBytes(as: part) else { return nil }
            case .one(let name), .rest(let name): bindings[name] = .string(part)
            }
        }
        return (left, bindings)
    }

    var hasRest: Bool {
        segments.contains { segment in
            if case .rest = segment { true } else { false }
        }
    }
}

/// A function of storage rules: one expression of its arguments.
struct StorageFunction: Sendable {
    let name: String
    let parameters: [String]
    let body: Syntax
    /// The offset of the name in the text.
    let offset: Int
}
