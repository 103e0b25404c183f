import Files
import Synchronization

/// The last fault of each folder of the inbox, so that a fault is logged when it changes and not every few seconds.
final class FolderFaults: Sendable {
    /// The part of the inbox that has a fault.
    enum Subject: Hashable, Sendable {
        /// The folder itself: no file can be claimed from it.
        case folder(InboxFolder.Root)
        /// A file in the folder.
        case contents(of: InboxFolder.Root)

        var root: InboxFolder.Root {
            switch self {
            case .folder(let root), .contents(let root): root
            }
        }
    }

    private enum Condition: Equatable {
        case good
        case broken(FileError.Code)
    }

    private static let maxSubjects = 10_000
    private let conditions = Mutex<[Subject: Condition]>([:])

    /// Whether the folder should be tested, because it is not known to be usable.
    func isWorthATry(_ root: InboxFolder.Root) -> Bool {
        conditions.withLock { $0[.folder(root)] != .good }
    }

    /// Whether the folder was unusable the last time.
    func isBroken(_ root: InboxFolder.Root) -> Bool {
        conditions.withLock { $0[.folder(root), default: .good] != .good }
    }

    /// Records the fault of a subject; nil for none.
    ///
    /// - Returns: Whether the condition has changed; a new folder without a fault counts as unchanged.
    func note(_ fault: FileError?, of subject: Subject) -> Bool {
        conditions.withLock { conditions in
            if conditions.count >= Self.maxSubjects { conditions = [:] }
            let condition = fault.map { Condition.broken($0.code) } ?? .good
            let last = conditions.updateValue(condition, forKey: subject) ?? .good
            return last != condition
        }
    }
}
