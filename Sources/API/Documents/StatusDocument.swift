/// What the service is doing.
package struct StatusDocument: Document {
    package struct Tree: Document {
        package let updates: Int
        package let transactions: Int
        package let largestGroup: Int
        /// The length of the log that a start after a crash has to read, in bytes.
        package let logBytes: Int

        private enum CodingKeys: String, CodingKey {
            case updates, transactions
            case largestGroup = "largest_group"
            case logBytes = "log_bytes"
        }

        package init(updates: Int, transactions: Int, largestGroup: Int, logBytes: Int) {
            self.updates = updates
            self.transactions = transactions
            self.largestGroup = largestGroup
            self.logBytes = logBytes
        }
    }

    package struct FreeSpace: Document {
        /// Free bytes on the disk.
        package let bytes: Int
        /// Bytes that have to stay free.
        package let reserve: Int

        package init(bytes: Int, reserve: Int) {
            self.bytes = bytes
            self.reserve = reserve
        }
    }

    package struct Inbox: Document {
        /// Photos that are not taken yet.
        package let files: Int

        package init(files: Int) { self.files = files }
    }

    /// Work that is done behind the commits that cause it.
    package struct Jobs: Document {
        /// Jobs that are left to do; 10,000 stands for more, too.
        package let waiting: Int
        /// Those of them that have failed, and are tried again.
        package let failing: Int
        /// When the oldest was caused, in milliseconds since the epoch.
        package let since: Int64

        package init(waiting: Int, failing: Int, since: Int64) {
            self.waiting = waiting
            self.failing = failing
            self.since = since
        }
    }

    /// Whether anything is deleted for good, and why not.
    package struct Sweeps: Document {
        package enum Status: String, Codable, CaseIterable, Sendable {
            case on
            case held
        }

        package let status: Status
        package let code: ErrorCode?
        package let message: String?
        package let hint: String?

        /// - Parameter hold: Why nothing is deleted; nil while all is.
        package init(hold: Failure?) {
            status = hold == nil ? .on : .held
            code = hold?.code
            message = hold?.message
            hint = hold?.hint
        }
    }

    /// What the last audits came to.
    package struct Audits: Document {
        package var check: StoreCheckResultDocument?
        package var verify: StoreCheckResultDocument?
        /// The bytes of files that were read and compared since the start.
        package let read: Int

        /// Nil when there was none.
        package init?(check: StoreCheckResultDocument?, verify: StoreCheckResultDocument?, read: Int) {
            guard check != nil || verify != nil else { return nil }
            (self.check, self.verify, self.read) = (check, verify, read)
        }
    }

    package let version: String
    package let intake: ReadinessDocument
    /// Posts that were deleted for their age, since the start; nil where none are.
    package var expired: Int?
    /// Nil when nothing is left to do.
    package var jobs: Jobs?
    package let sweeps: Sweeps
    /// The text of each recipe by its name.
    package let recipes: [String: String]
    /// Uploads since the start of the service.
    package var published = 0
    package var duplicates = 0
    package var failed = 0
    /// Uploads that have not ended, by their states.
    package var uploads: [String: Int] = [:]
    /// Uploads that wait for a worker, and when the oldest of them was reserved.
    package var queue = 0
    /// The time at which the upload that has waited longest was reserved, in milliseconds since the epoch.
    package var queueSince: Int64?
    package let tree: Tree
    package var inbox: Inbox?
    /// The job over posts that runs; absent while none does.
    package var batch: PostRunDocument?
    package var freeSpace: FreeSpace?
    /// Posts whose files nobody claims.
    package var unclaimed: Int?
    /// What the last audits came to; absent before the first.
    package var audits: Audits?

    private enum CodingKeys: String, CodingKey {
        case version, intake, sweeps, recipes, published, duplicates, failed, uploads, queue
        case queueSince = "queue_since"
        case tree, jobs, inbox, batch
        case freeSpace = "free_space"
        case unclaimed, expired, audits
    }

    package init(version: String, intake: ReadinessDocument, sweeps: Sweeps, recipes: [String: String], tree: Tree) {
        self.version = version
        self.intake = intake
        self.sweeps = sweeps
        self.recipes = recipes
        self.tree = tree
    }
}

/// Whether uploads and connections are taken, and why not.
package struct ReadinessDocument: Document {
    package enum Status: String, Codable, CaseIterable, Sendable {
        case ready
        case paused
        case full
    }

    package let status: Status
    package let code: ErrorCode?
    package let message: String?
    package let hint: String?
    /// The time of the beginning, in milliseconds since the epoch.
    package let since: Int64?

    package init(_ status: Status, _ failure: Failure? = nil, since: Int64? = nil) {
        self.status = status
        code = failure?.code
        message = failure?.message
        hint = failure?.hint
        self.since = since
    }
}

/// Whether the tree answers.
package struct HealthDocument: Document {
    package var status = "ok"

    package init() {}
}

/// Which service this is.
package struct VersionDocument: Document {
    package var name = "tintype"
    package let version: String

    package init(version: String) { self.version = version }
}
