import API
import Testing

@testable import Server

@Suite("What a client's writes count")
struct ClientLimiterTests {
    private let limiter: ClientLimiter
    private let client = LimitedClient.user("maria")

    init() {
        var limits = ClientLimits()
        limits.requestsPerSecond = 10
        let now = ContinuousClock.now
        limiter = ClientLimiter(limits) { now }
    }

    @Test("A small write counts as its request, and no more")
    func small() throws {
        for _ in 0..<1000 { try limiter.count(written: 99, of: client) }
        for _ in 0..<100 { try limiter.countRequest(of: client) }
        #expect(throws: Failure.self) { try limiter.countRequest(of: client) }
    }

    @Test("What is larger counts as more requests; only what is very large is refused when nothing is left")
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
        "Rows that are read count as requests, sooner for whoever has not signed in",
        arguments: [(true, 1000), (false, 250)])
    func reads(isUser: Bool, rows: Int) throws {
        let client = isUser ? client : LimitedClient(address: "192.0.2.7")
        for _ in 0..<1000 { limiter.count(read: rows - 1, of: client) }
        limiter.count(read: 99 * rows, of: client)
        try limiter.countRequest(of: client)
        #expect(throws: Failure.self) { try limiter.countRequest(of: client) }
        try limiter.countRequest(of: .user("noah"))
    }

    @Test("Who has no limit of requests has none of writes and reads")
    func unlimited() throws {
        let limiter = ClientLimiter(.none)
        for _ in 0..<10 { try limiter.count(written: 1_000_000, of: client) }
        limiter.count(read: 1_000_000_000, of: client)
        try limiter.countRequest(of: client)
    }
}
