/// The current state of the service.
package struct StatusDocument: Document {
    package struct Tree: Document {
        package let updates: Int
        package let transactions: Int
        package let largestGroup: Int
        /// The length of the log that a start after a crash would read, in bytes.
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
        /// The bytes that must stay free.
        package let reserve: Int

        package init(bytes: Int, reserve: Int) {
            self.bytes = bytes
            self.reserve = reserve
        }
    }

    package struct Inbox: Document {
        /// The number of photos that are not claimed yet.
        package let files: Int

        package init(files: Int) { self.files = files }
    }

    /// The follow-up tasks, which run after the commits that cause them.
    package struct Jobs: Document {
        /// The number of tasks that wait; counted up to 10,000.
        package let waiting: Int
        /// The number of these that have failed and will be tried again.
        package let failing: Int
        /// The time at which the oldest was caused, in milliseconds since the epoch.
        package let since: Int64

        package init(waiting: Int, failing: Int, since: Int64) {
            self.waiting = waiting
            self.failing = failing
            self.since = since
        }
    }

    /// The state of the deletion of files, and the reason if it is paused.
    package struct Sweeps: Document {
        package enum Status: String, Codable, CaseIterable, Sendable {
            case on
            case held
        }

        package let status: Status
        package let code: ErrorCode?
        package let message: String?
        package let hint: String?

        /// - Parameter hold: The reason why nothing is deleted; nil if deletion is active.
        package init(hold: Failure?) {
            status = hold == nil ? .on : .held
            code = hold?.code
            message = hold?.message
            hint = hold?.hint
        }
    }

    /// The results of the last audits.
    package struct Audits: Document {
        package var check: StoreCheckResultDocument?
        package var verify: StoreCheckResultDocument?
        /// The total size of the files that were read and compared since the start, in bytes.
        package let read: Int

        /// Creates the document; nil without an audit.
        package init?(check: StoreCheckResultDocument?, verify: StoreCheckResultDocument?, read: Int) {
            guard check != nil || verify != nil else { return nil }
            (self.check, self.verify, self.read) = (check, verify, read)
        }
    }

    package let version: String
    package let intake: ReadinessDocument
    /// The number of posts that were deleted because of their age since the start; nil if posts do not expire.
    package var expired: Int?
    /// The waiting follow-up tasks; nil if there are none.
    package var jobs: Jobs?
    package let sweeps: Sweeps
    /// The text of each recipe by its name.
    package let recipes: [String: String]
    /// The number of uploads published since the start of the service.
    package var published = 0
    package var duplicates = 0
    package var failed = 0
    /// The numbers of uploads that have not ended, by state.
    package var uploads: [String: Int] = [:]
    /// The number of uploads that wait for a worker.
    package var queue = 0
    /// The time at which the upload that has waited longest was reserved, in milliseconds since the epoch; nil if none
    /// waits.
    package var queueSince: Int64?
    package let tree: Tree
    package var inbox: Inbox?
    /// The post run that is active; absent if there is none.
    package var batch: PostRunDocument?
    package var freeSpace: FreeSpace?
    /// The number of posts with unclaimed files.
    package var unclaimed: Int?
    /// The results of the last audits; absent before the first.
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

/// The readiness of the service for uploads and connections, and the reason if it is not ready.
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
    /// The time at which the state began, in milliseconds since the epoch.
    package let since: Int64?

    package init(_ status: Status, _ failure: Failure? = nil, since: Int64? = nil) {
        self.status = status
        code = failure?.code
        message = failure?.message
        hint = failure?.hint
        self.since = since
    }
}

/// The answer of a service whose tree can be read.
package struct HealthDocument: Document {
    package var status = "ok"

    package init() {}
}

/// The version of the service.
package struct VersionDocument: Document {
    package var name = "tintype"
    package let version: String

    package init(version: String) { self.version = version }
}
