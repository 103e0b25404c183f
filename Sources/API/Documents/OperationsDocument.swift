/// The current state of the service, as the operations page shows it.
package struct OperationsDocument: Document {
    /// The average number of events per second; since the start, if the service has run for a shorter time.
    package struct Rate: Document, Hashable {
        /// The average of the last minute.
        package let minute: Double
        /// The average of the last hour.
        package let hour: Double

        package init(minute: Double, hour: Double) { (self.minute, self.hour) = (minute, hour) }
    }

    package struct Rates: Document {
        /// Uploads that were acknowledged.
        package let accepted: Rate
        package let published: Rate
        package let failed: Rate
        package let requests: Rate
        package let bytes: Rate

        package init(accepted: Rate, published: Rate, failed: Rate, requests: Rate, bytes: Rate) {
            (self.accepted, self.published, self.failed) = (accepted, published, failed)
            (self.requests, self.bytes) = (requests, bytes)
        }
    }

    /// The numbers of events in each of the last intervals, the oldest first.
    package struct History: Document {
        /// The length of an interval, in seconds.
        package let seconds: Int
        package var published: [Int] = []
        package var failed: [Int] = []
        package var requests: [Int] = []
        package var bytes: [Int] = []

        package init(seconds: Int) { self.seconds = seconds }
    }

    package struct Work: Document {
        package let upload: String?
        package let user: String
        /// The user's name; absent for somebody whom the service does not know.
        package var fullName: String?
        package let bytes: Int
        /// The priority: `interactive`, `queued` or `batch`.
        package let priority: String
        /// The time at which the work began, in milliseconds since the epoch.
        package let since: Int64

        private enum CodingKeys: String, CodingKey {
            case upload, user
            case fullName = "full_name"
            case bytes, priority, since
        }

        package init(upload: String?, user: String, bytes: Int, priority: String, since: Int64) {
            (self.upload, self.user, self.bytes) = (upload, user, bytes)
            (self.priority, self.since) = (priority, since)
        }
    }

    package struct Workers: Document {
        package let count: Int
        /// The number of further workers for batch work alone; zero if all workers do all work.
        package let batch: Int
        /// The work in progress, the oldest first.
        package let busy: [Work]

        package init(count: Int, batch: Int, busy: [Work]) {
            (self.count, self.batch, self.busy) = (count, batch, busy)
        }
    }

    package struct Disk: Document {
        /// The free space of the disk, in bytes; absent if it is not known.
        package var free: Int?
        /// The space that must stay free, in bytes; absent if it is not known.
        package var reserve: Int?
        /// The size of the disk, in bytes; absent if it is not known.
        package var total: Int?
        /// The size of the tree's files, in bytes; absent if the tree is in memory.
        package var tree: Int?

        package init() {}
    }

    package struct Connection: Document {
        package enum Kind: String, Codable, CaseIterable, Sendable {
            case stream, session
        }

        package let kind: Kind
        package let what: String
        /// An IP address; empty on the Unix socket.
        package let address: String
        package let identity: String
        /// The user's name; absent for other identities, and for somebody whom the service does not know.
        package var fullName: String?
        /// The time at which the stream or session began, in milliseconds since the epoch.
        package let since: Int64

        private enum CodingKeys: String, CodingKey {
            case kind, what, address, identity
            case fullName = "full_name"
            case since
        }

        package init(_ kind: Kind, what: String, address: String, identity: String, since: Int64) {
            (self.kind, self.what, self.address) = (kind, what, address)
            (self.identity, self.since) = (identity, since)
        }
    }

    package struct Connections: Document {
        package let tcp: Int
        package let socket: Int
        /// The number of server-sent event streams.
        package let streams: Int
        /// The number of WebSocket sessions of the database.
        package let sessions: Int
        /// The oldest streams and sessions, the oldest first.
        package let list: [Connection]

        package init(tcp: Int, socket: Int, streams: Int, sessions: Int, list: [Connection]) {
            (self.tcp, self.socket, self.streams, self.sessions, self.list) = (tcp, socket, streams, sessions, list)
        }
    }

    /// The time of the report, in milliseconds since the epoch.
    package var time: Int64
    /// The time at which the service started, in milliseconds since the epoch.
    package let startedAt: Int64
    /// The addresses of the service's pages; empty if it listens on no port.
    package let pages: [String]
    package let status: StatusDocument
    package let rates: Rates
    package let history: History
    package let workers: Workers
    package var disk: Disk
    /// The resident memory of the process, in bytes; absent if the system does not report it.
    package var memory: Int?
    package let connections: Connections
    /// A counter that changes whenever a failed file is listed, put back or deleted.
    package let failures: Int
    /// A counter that changes whenever a request is refused or an admin acts.
    package let refusals: Int
    /// The post runs, the newest first.
    package let jobs: [PostRunDocument]

    private enum CodingKeys: String, CodingKey {
        case time
        case startedAt = "started_at"
        case pages, status, rates, history, workers, disk, memory, connections, failures, refusals, jobs
    }

    package init(
        time: Int64, startedAt: Int64, pages: [String], status: StatusDocument, rates: Rates, history: History,
        workers: Workers, disk: Disk, memory: Int?, connections: Connections, failures: Int, refusals: Int,
        jobs: [PostRunDocument]
    ) {
        (self.time, self.startedAt, self.pages, self.status) = (time, startedAt, pages, status)
        (self.rates, self.history, self.workers) = (rates, history, workers)
        (self.disk, self.memory, self.connections) = (disk, memory, connections)
        (self.failures, self.refusals, self.jobs) = (failures, refusals, jobs)
    }
}

/// A link to the operations page, with the key that opens the page.
package struct OperationsLinkDocument: Document {
    package let url: String
    /// The name of the key.
    package let name: String
    /// The time at which the key expires, in milliseconds since the epoch.
    package let expires: Int64?

    package init(url: String, name: String, expires: Int64?) {
        (self.url, self.name, self.expires) = (url, name, expires)
    }
}
