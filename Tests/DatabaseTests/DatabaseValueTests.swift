import API
import Testing
import Tree

@testable import Database

@Suite("The database: small values")
struct DatabaseValueTests {
    private static let small = ByteBudget.smallBytes

    @Test("A budget is shared, refuses writes beyond it, and is freed again")
    func byteBudget() throws {
        let budget = ByteBudget(maxBytes: 100, reserveBytes: 2 * Self.small)
        do {
            let (one, other) = (budget.share(for: nil), budget.share(for: nil))
            try one.take(Self.small + 60)
            try other.take(Self.small)
            try other.take(40)
            let error = #expect(throws: Failure.self) { try one.take(1) }
            #expect(error?.code == .tooManyWrites)
            withExtendedLifetime((one, other)) {}
        }
        try budget.share(for: nil).take(Self.small + 100)
    }

    @Test("A client gets a limited part of the remaining budget, by any number of writes")
    func fairBudget() throws {
        let budget = ByteBudget(maxBytes: 1 << 20, reserveBytes: 1 << 20)
        let (greedy, other) = (ByteBudget.Client.user("a"), ByteBudget.Client.network([127, 0, 0, 1]))
        var shares: [ByteBudget.Share] = []
        func take(_ byteCount: Int, for client: ByteBudget.Client) throws {
            let share = budget.share(for: client)
            try share.take(byteCount)
            shares.append(share)
        }
        try take(Self.small + 1 << 19, for: greedy)
        #expect(throws: Failure.self) { try take(Self.small + 1, for: greedy) }
        try take(Self.small + 1 << 18, for: other)
        #expect(throws: Failure.self) { try take(Self.small + 1, for: other) }
        // A refused write has used nothing.
        try take(Self.small + 1 << 17, for: .user("b"))
        shares = []
        try take(Self.small + 1 << 19, for: other)
    }

    @Test("Small writes have a reserve, which large ones cannot use, and no client uses alone")
    func reserve() throws {
        let budget = ByteBudget(maxBytes: 1 << 20, reserveBytes: 1 << 20)
        let owner = budget.share(for: nil)
        try owner.take(Self.small + 1 << 20)
        #expect(throws: Failure.self) { try owner.take(1) }
        var held: [ByteBudget.Share] = []
        for _ in 0..<7 {
            held.append(budget.share(for: .user("a")))
            try held.last?.take(Self.small)
        }
        #expect(throws: Failure.self) { try budget.share(for: .user("a")).take(Self.small) }
        try budget.share(for: .user("b")).take(Self.small)
        withExtendedLifetime((owner, held)) {}
    }

    @Test(
        "A host name selects its tree",
        arguments: [
            (nil, "localhost", ""), (nil, "127.0.0.1:80", ""), (nil, "[::1]:80", ""), (nil, "[::ffff:1.2.3.4]", ""),
            (nil, "one.firebaseio.com", "one"), (nil, "ONE.example:9000", "one"), (nil, "Tintype.example", ""),
            ("two", "one.firebaseio.com", "two"), ("TINTYPE", "one.example", ""), (nil, nil, ""), (nil, "a_b.c", "a_b"),
        ] as [(String?, String?, String)])
    func namespaces(name: String?, host: String?, expected: String) throws {
        let namespaces = DatabaseNamespaces(mainName: "tintype", publicHost: nil)
        #expect(try namespaces.namespace(named: name, host: host).name == expected)
    }
}
