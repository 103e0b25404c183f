package import API
package import Model

/// The scope and the permissions of a store check.
package struct StoreCheckOrder: Sendable {
    package let action: StoreCheckAction
    /// The user whose files and records are checked; nil for all.
    package private(set) var user: UserID?
    /// Whether records and lists of the tree are checked, and not only files.
    package var looksAtRecords = true
    /// Whether the contents of files are read, and not only their sizes; `verify` always reads them.
    package var readsFiles: Bool
    /// The minimum time since a file was last read, for it to be read; nil to read all files.
    package var unreadFor: Duration?
    /// The share of the posts, chosen at random, whose files are read; from 0 to 1.
    package var sample = 1.0
    /// The maximum number of bytes that are read in a second; nil for no limit.
    package var bytesPerSecond: Int?
    /// Whether findings are repaired or deleted, and not only reported.
    package var changes: Bool
    /// The share of all bytes that may be deleted; from 0 to 1.
    package var maxShare = 0.05

    package init(_ action: StoreCheckAction) {
        self.action = action
        readsFiles = action == .verify
        changes = false
    }

    /// Restricts the check to the files and records of one user's posts.
    ///
    /// - Throws: `Failure` `bad_user`.
    package mutating func select(user: String?) throws(Failure) {
        guard let user else { return }
        guard let uid = UserID(user) else { throw Failure.noUserID(user) }
        self.user = uid
    }

    /// The remedy that the action carries out; nil for none.
    var remedy: FindingRemedy? {
        switch action {
        case .check, .verify: nil
        case .repair: .repair
        case .gc: .gc
        }
    }
}

/// A report of a running store check.
package enum StoreCheckStep: Sendable {
    case finding(FindingDocument)
    case step(StoreCheckStepDocument)
}
