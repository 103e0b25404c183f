import TreeModel

/// A `match` block of storage rules: a part of a path, and the permissions at its end and below.
final class StorageMatch: Sendable {
    /// A part of a path between slashes.
    enum Segment: Sendable, Equatable {
        case literal(String)
        /// Any single part, bound to a name.
        case one(String)
        /// All remaining parts except those for the segments after it, bound to a name.
        case rest(String)

        /// The name that the part is bound to; nil for a literal.
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
        /// The condition; nil if there is none.
        let condition: Syntax?
        /// The offset of the word `allow` in the text.
        let offset: Int
    }

    let segments: [Segment]
    let allowances: [Allowance]
    let matches: [StorageMatch]
    /// All functions that can be called here, by name.
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

    /// Matches the segments with the beginning of a path.
    ///
    /// - Parameter minimumOfRest: The smallest number of parts for ``Segment/rest(_:)``.
    /// - Returns: The remaining parts, and the values of the names; nil if the path does not match.
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

/// A function of storage rules: an expression of its arguments.
struct StorageFunction: Sendable {
    let name: String
    let parameters: [String]
    let body: Syntax
    /// The offset of the name in the text.
    let offset: Int
}
