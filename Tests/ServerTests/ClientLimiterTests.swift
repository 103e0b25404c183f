import API
import Synchronization
import Testing

@testable import Transport

@Suite("Limits on the reads and writes of a client")
struct ClientLimiterTests {
    private let limiter: ClientLimiter
    private let client = LimitedClient.user("maria")

    private static var limits: ClientLimits {
        var limits = ClientLimits()
        limits.requestsPerSecond = 10
        return limits
    }

    init() {
        let now = ContinuousClock.now
        limiter = ClientLimiter(Self.limits) { now }
    }

    @Test("A small write counts as one request")
    func small() throws {
        for _ in 0..<1000 { try limiter.count(written: 99, of: client) }
        for _ in 0..<100 { try limiter.countRequest(of: client) }
        #expect(throws: Failure.self) { try limiter.countRequest(of: client) }
    }

    @Test("A larger write counts as several requests; only a very large one is refused at an empty balance")
    func large() throws {
        for _ in 0..<10 { try limiter.count(written: 1000, of: client) }
        let error = #expect(throws: Failure.self) { try limiter.count(written: 1000, of: client) }
        #expect(error?.code == .tooManyRequests && error?.retryAfter ?? 0 >= 1)
        try limiter.count(written: 999, of: client)
        #expect(throws: Failure.self) { try limiter.countRequest(of: client) }
        try limiter.count(written: 1_000_000, of: .user("noah"))
        #expect(throws: Failure.self) { try limiter.countRequest(of: .user("noah")) }
    }

    @Test(
        "Reads wait for the rows over the limit, longer without a sign-in; writes and other clients do not",
        arguments: [(true, 10_000), (false, 2500)])
    func reads(isUser: Bool, rowsPerSecond: Int) throws {
        let now = Mutex(ContinuousClock.now)
        let limiter = ClientLimiter(Self.limits) { now.withLock { $0 } }
        let client = isUser ? client : LimitedClient(address: "192.0.2.7")
        limiter.count(read: 99_999, of: client)
        try limiter.checkReads(of: client)
        limiter.count(read: 1 + 10 * rowsPerSecond, of: client)
        let error = #expect(throws: Failure.self) { try limiter.checkReads(of: client) }
        #expect(error?.code == .tooManyRequests && error?.retryAfter == 11)
        try limiter.countRequest(of: client)
        try limiter.checkReads(of: .user("noah"))
        try limiter.checkReads(of: LimitedClient(address: "192.0.2.8"))
        now.withLock { $0 += .seconds(11) }
        try limiter.checkReads(of: client)
    }

    @Test("A client without a limit of requests has no limit of writes and reads")
    func unlimited() throws {
        let limiter = ClientLimiter(.none)
        for _ in 0..<10 { try limiter.count(written: 1_000_000, of: client) }
        limiter.count(read: 1_000_000_000, of: client)
        try limiter.countRequest(of: client)
        try limiter.checkReads(of: client)
    }
}
