import Files
import Synchronization

/// The last fault of each folder of the inbox, so that a fault is logged when it changes and not every few seconds.
final class FolderFaults: Sendable {
    /// The part of the inbox that has a fault.
    enum Subject: Hashable, Sendable {
        /// The folder itself: nothing can be taken out of it.
        case folder(InboxFolder.Root)
        /// Something in it.
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

    /// Whether it is not known that all is well with the folder.
    func isWorthATry(_ root: InboxFolder.Root) -> Bool {
        conditions.withLock { $0[.folder(root)] != .good }
    }

    /// Whether the folder was of no use the last time.
    func isBroken(_ root: InboxFolder.Root) -> Bool {
        conditions.withLock { $0[.folder(root), default: .good] != .good }
    }

    /// Notes how something is; without a fault, it is well.
    ///
    /// - Returns: Whether that is news; that a new folder is well is none.
    func note(_ fault: FileError?, of subject: Subject) -> Bool {
        conditions.withLock { conditions in
            if conditions.count >= Self.maxSubjects { conditions = [:] }
            let condition = fault.map { Condition.broken($0.code) } ?? .good
            let last = conditions.updateValue(condition, forKey: subject) ?? .good
            return last != condition
        }
    }
}
