package import API
package import Model

/// What an audit is to look at, and what it may do.
package struct StoreCheckOrder: Sendable {
    package let action: StoreCheckAction
    /// Only the files and records of this person's posts; nil for everything.
    package private(set) var user: UserID?
    /// Whether records and lists of the tree are compared; else files alone.
    package var looksAtRecords = true
    /// Whether files are read that an audit without this would only list: always by `verify`.
    package var readsFiles: Bool
    /// Only files that were not read and compared for so long are read; nil for all.
    package var unreadFor: Duration?
    /// The part of the posts whose files are read, from 0 to 1, drawn by lot.
    package var sample = 1.0
    /// How many bytes are read in a second at most; nil for as many as the disk gives.
    package var bytesPerSecond: Int?
    /// Whether what is found is mended, or deleted, and not only told.
    package var changes: Bool
    /// The part of all bytes that may be deleted, from 0 to 1.
    package var maxShare = 0.05

    package init(_ action: StoreCheckAction) {
        self.action = action
        readsFiles = action == .verify
        changes = false
    }

    /// Looks only at the files and records of one person's posts.
    ///
    /// - Throws: `Failure` `bad_user`.
    package mutating func select(user: String?) throws(Failure) {
        guard let user else { return }
        guard let uid = UserID(user) else { throw Failure.noUserID(user) }
        self.user = uid
    }

    /// The remedy that this action carries out.
    var remedy: FindingRemedy? {
        switch action {
        case .check, .verify: nil
        case .repair: .repair
        case .gc: .gc
        }
    }
}

/// What an audit tells while it runs.
package enum StoreCheckStep: Sendable {
    case finding(FindingDocument)
    case step(StoreCheckStepDocument)
}
