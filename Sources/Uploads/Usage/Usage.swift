package import API
import Model
package import Tree

/// A number of files of each kind, and their sizes in bytes together.
///
/// In the tree it is one line, with the bytes and the files of each kind in their order; nothing where there are none.
package struct Usage: Sendable, Hashable {
    private static let kinds = UsageKind.allCases
    /// No file is larger: what a client says of a size is never believed beyond that.
    private static let maxBytes = 1 << 40
    /// The version of the counting, to be raised whenever the same files are to be counted otherwise.
    package static let countVersion: TreeValue = 1

    /// Bytes and files of each kind in turn.
    private var numbers = [Int](repeating: 0, count: 2 * kinds.count)

    package init() {}

    /// Reads a line; nothing for what is none.
    package init(_ value: TreeValue?) {
        let read = (value?.stringValue ?? "").split(separator: " ").compactMap { Int($0) }
        if read.count == numbers.count, read.allSatisfy({ $0 >= 0 }) { numbers = read }
    }

    /// The line; nil where there are no files.
    package var value: TreeValue? {
        guard numbers.contains(where: { $0 != 0 }) else { return nil }
        return .string(numbers.map { "\($0)" }.joined(separator: " "))
    }

    package subscript(kind: UsageKind) -> UsageDocument.Size {
        let index = 2 * Self.index(of: kind)
        return UsageDocument.Size(bytes: numbers[index], files: numbers[index + 1])
    }

    private static func index(of kind: UsageKind) -> Int { kinds.firstIndex(of: kind) ?? 0 }

    /// Counts a file.
    mutating func add(_ kind: UsageKind, bytes: Int) {
        let index = 2 * Self.index(of: kind)
        numbers[index] += min(max(0, bytes), Self.maxBytes)
        numbers[index + 1] += 1
    }

    /// Takes one part away and puts another in its place; nothing becomes less than nothing.
    mutating func replace(_ old: Usage, with new: Usage) {
        for index in numbers.indices {
            numbers[index] = max(0, numbers[index] - old.numbers[index] + new.numbers[index])
        }
    }

    package static func += (left: inout Usage, right: Usage) { left.replace(Usage(), with: right) }

    package func document(of user: String?, quota: Quota? = nil) -> UsageDocument {
        UsageDocument(user: user, quota: quota) { self[$0] }
    }
}
