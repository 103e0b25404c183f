import API
import Testing
import Tree

@testable import Database

@Suite("The database: small values")
struct DatabaseValueTests {
    @Test("A budget is shared, refuses what is beyond it, and comes back")
    func byteBudget() throws {
        let budget = ByteBudget(maxBytes: 100)
        do {
            let (one, other) = (budget.share(), budget.share())
            try one.take(60)
            try other.take(40)
            let error = #expect(throws: Failure.self) { try one.take(1) }
            #expect(error?.code == .tooManyWrites)
            withExtendedLifetime((one, other)) {}
        }
        try budget.share().take(100)
    }

    @Test(
        "Which tree a host means",
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
