package import API
import Concurrency
import Synchronization
package import Tree

/// Counts the requests, bytes and rows of each client, and refuses those beyond its limits.
package final class ClientLimiter: Sendable {
    /// An activity whose concurrent number is limited for each client.
    package enum Activity: String, Sendable {
        case stream, upload, connection
    }

    /// The largest number of clients counted at once. Beyond it, idle clients are forgotten.
    private static let maxClients = 100_000
    /// The sizes of the bursts of requests and of bytes, in seconds of the permitted rate.
    private static let requestBurst = 10.0
    private static let byteBurst = 120.0
    /// The number of paths and values of a write that count as one request.
    private static let costOfRequest = 100
    /// The number of rows that may be read at once, for each request allowed per second. It is large because a
    /// household shares one address and may open the gallery at the same time.
    private static let rowBurst = 10_000.0
    /// The number of these rows that are regained per second: for a user, and for all unauthenticated clients at an
    /// address.
    private static let rowsPerSecond = 1000.0
    private static let unsignedRowsPerSecond = 250.0
    /// The cost, in requests, from which a write waits until the client has some of its limit left.
    private static let largeWrite = 10.0

    private struct Account {
        var requests: TokenBucket?
        /// Rows have their own bucket, so that reads of lists delay neither pictures nor other clients at the same
        /// address.
        var rows: TokenBucket?
        var bytes: TokenBucket?
        var active: [Activity: Int] = [:]

        mutating func isIdle(_ now: ContinuousClock.Instant) -> Bool {
            let requestsAreFull = requests?.isFull(now: now) ?? true
            let rowsAreFull = rows?.isFull(now: now) ?? true
            return (bytes?.isFull(now: now) ?? true) && requestsAreFull && rowsAreFull && active.isEmpty
        }
    }

    private let limits: ClientLimits
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let accounts = Mutex<[LimitedClient: Account]>([:])

    package init(_ limits: ClientLimits, clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.limits = limits
        self.clock = clock
    }

    /// Counts a request.
    ///
    /// - Throws: `Failure` with the code `too_many_requests`.
    package func countRequest(of client: LimitedClient) throws(Failure) {
        let now = clock()
        let wait = withAccount(of: client, now) { account in
            // A client in debt for bytes waits, too; the bytes it then sends are counted as they arrive.
            account.bytes?.take(0, now: now) ?? account.requests?.take(1, now: now)
        }
        if let wait { throw .tooManyRequests("this client sends too much", retryAfter: wait) }
    }

    /// Counts bytes that a client has sent.
    package func count(_ bytes: Int, of client: LimitedClient) {
        guard limits.bytesPerSecond != nil else { return }
        let now = clock()
        withAccount(of: client, now) { $0.bytes?.spend(Double(bytes), now: now) }
    }

    /// Counts the cost of a write, in paths and values; ``costOfRequest`` of them count as one request.
    ///
    /// - Throws: `Failure` with the code `too_many_requests` for a large write of a client whose limit is used up.
    package func count(written cost: Int, of client: LimitedClient) throws(Failure) {
        let requests = Double(cost / Self.costOfRequest)
        guard limits.requestsPerSecond != nil, requests > 0 else { return }
        let now = clock()
        let wait: Double? = withAccount(of: client, now) { account in
            if requests >= Self.largeWrite { return account.requests?.take(requests, now: now) }
            account.requests?.spend(requests, now: now)
            return nil
        }
        if let wait { throw .tooManyRequests("this client writes too much", retryAfter: wait) }
    }

    /// Counts rows that were examined for a client.
    package func count(read rows: Int, of client: LimitedClient) {
        guard limits.requestsPerSecond != nil else { return }
        let now = clock()
        withAccount(of: client, now) { $0.rows?.spend(Double(rows), now: now) }
    }

    /// Refuses a read of a client that has exceeded its limit of examined rows.
    ///
    /// - Throws: `Failure` with the code `too_many_requests`.
    package func checkReads(of client: LimitedClient) throws(Failure) {
        guard limits.requestsPerSecond != nil else { return }
        let now = clock()
        let wait = withAccount(of: client, now) { $0.rows?.take(0, now: now) }
        if let wait { throw .tooManyRequests("this client reads too much", retryAfter: wait) }
    }

    /// Counts an activity that lasts for a while.
    ///
    /// - Returns: A lease that ends the counting when it is released.
    /// - Throws: `Failure` with the code `too_many_requests`.
    package func begin(_ activity: Activity, of client: LimitedClient) throws(Failure) -> Lease {
        guard let limit = limit(of: activity) else { return Lease {} }
        let isAllowed = withAccount(of: client, clock()) { account in
            guard account.active[activity, default: 0] < limit else { return false }
            account.active[activity, default: 0] += 1
            return true
        }
        guard isAllowed else {
            throw .tooManyRequests("this client has \(limit) \(activity.rawValue)s open already", retryAfter: 5)
        }
        return Lease { [weak self] in self?.end(activity, of: client) }
    }

    private func limit(of activity: Activity) -> Int? {
        switch activity {
        case .stream: limits.streams
        case .upload: limits.uploads
        case .connection: limits.connections
        }
    }

    /// An activity that is counted until this object is released.
    package final class Lease: Sendable {
        private let end: @Sendable () -> Void

        fileprivate init(end: @escaping @Sendable () -> Void) { self.end = end }

        deinit { end() }
    }

    private func end(_ activity: Activity, of client: LimitedClient) {
        accounts.withLock { accounts in
            guard let count = accounts[client]?.active[activity] else { return }
            accounts[client]?.active[activity] = count > 1 ? count - 1 : nil
        }
    }

    private func withAccount<Result>(
        of client: LimitedClient, _ now: ContinuousClock.Instant, _ body: (inout Account) -> sending Result
    ) -> sending Result {
        accounts.withLock { accounts in
            if accounts[client] == nil, accounts.count >= Self.maxClients { Self.forgetIdle(&accounts, now) }
            var account = accounts[client] ?? makeAccount(of: client, now)
            defer { accounts[client] = account }
            return body(&account)
        }
    }

    private func makeAccount(of client: LimitedClient, _ now: ContinuousClock.Instant) -> Account {
        let rows = if case .user = client { Self.rowsPerSecond } else { Self.unsignedRowsPerSecond }
        func bucket(_ limit: Int?, times factor: Double = 1, burst: Double) -> TokenBucket? {
            limit.map { TokenBucket(perSecond: Double($0) * factor, burst: burst, now: now) }
        }
        return Account(
            requests: bucket(limits.requestsPerSecond, burst: Self.requestBurst),
            rows: bucket(limits.requestsPerSecond, times: rows, burst: Self.rowBurst / rows),
            bytes: bucket(limits.bytesPerSecond, burst: Self.byteBurst))
    }

    /// Makes room: forgets idle clients, and half of all clients if that is not enough.
    private static func forgetIdle(_ accounts: inout [LimitedClient: Account], _ now: ContinuousClock.Instant) {
        for (client, account) in accounts {
            var account = account
            if account.isIdle(now) { accounts[client] = nil }
        }
        guard accounts.count >= maxClients else { return }
        for (client, account) in accounts.prefix(maxClients / 2) where account.active.isEmpty { accounts[client] = nil }
    }
}

extension Failure {
    /// Returns the refusal of a request beyond a client's limits; `seconds` is the time until a retry.
    package static func tooManyRequests(_ message: String, retryAfter seconds: Double) -> Failure {
        let wait = Int(seconds.rounded(.up))
        return Failure(.tooManyRequests, message, hint: "Try again in \(wait) s.", retryAfter: wait)
    }
}

/// Counts a client's concurrent activities and its reads.
package struct Activities: Sendable {
    package let limiter: ClientLimiter
    package let client: LimitedClient

    package init(limiter: ClientLimiter, client: LimitedClient) {
        self.limiter = limiter
        self.client = client
    }

    /// The client in its role as a reader.
    package var reader: ReadingClient {
        ReadingClient(named: client.name) { rows in limiter.count(read: rows, of: client) }
    }
}
