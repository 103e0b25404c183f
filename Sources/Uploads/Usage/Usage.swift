package import API
import Model
package import Tree

/// The number of files of each kind, and their total sizes in bytes.
///
/// In the tree it is one line, with the bytes and the number of each kind in their order; no line if there are no
/// files.
package struct Usage: Sendable, Hashable {
    private static let kinds = UsageKind.allCases
    /// The largest size of a file: a larger size reported by a client is not believed.
    private static let maxBytes = 1 << 40
    /// The version of the counting, to be raised whenever the same files are counted differently.
    package static let countVersion: TreeValue = 1

    /// The bytes and the number of files of each kind, alternating.
    private var numbers = [Int](repeating: 0, count: 2 * kinds.count)

    package init() {}

    /// Reads a line; empty for a malformed one.
    package init(_ value: TreeValue?) {
        let read = (value?.stringValue ?? "").split(separator: " ").compactMap { Int($0) }
        if read.count == numbers.count, read.allSatisfy({ $0 >= 0 }) { numbers = read }
    }

    /// The line; nil if there are no files.
    package var value: TreeValue? {
        guard numbers.contains(where: { $0 != 0 }) else { return nil }
        return .string(numbers.map { "\($0)" }.joined(separator: " "))
    }

    package subscript(kind: UsageKind) -> UsageDocument.Size {
        let index = 2 * Self.index(of: kind)
        return UsageDocument.Size(bytes: numbers[index], files: numbers[index + 1])
    }

    private static func index(of kind: UsageKind) -> Int { kinds.firstIndex(of: kind) ?? 0 }

    /// Adds a file.
    mutating func add(_ kind: UsageKind, bytes: Int) {
        let index = 2 * Self.index(of: kind)
        numbers[index] += min(max(0, bytes), Self.maxBytes)
        numbers[index + 1] += 1
    }

    /// Subtracts one part and adds another; no number falls below 0.
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
