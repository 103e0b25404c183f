import Synchronization
import Testing

@testable import Tree

@Suite("The hash of a node, as clients calculate it", .timeLimit(.minutes(20)))
struct NodeHashTests {
    /// Values in the export form, and their hashes by Firebase's clients.
    static let vectors: [(json: String, hash: String)] = [
        ("null", ""),
        ("4", "eVih19a6ZDz3NL32uVBtg9KSgQY="),
        ("4.5623", "vf1CL0tIRwXXunHcG/irRECk3lY="),
        (#""hey guys""#, "CUNLXWpCVoJE6z7z1vE57lGaKAU="),
        ("true", "E5z61QM0lN/U2WsOnusszCTkR8M="),
        (
            #"{"intNode":4,"doubleNode":4.5623,"stringNode":"hey guys","boolNode":true}"#,
            "6Mc4jFmNdrLVIlJJjz2/MakTK9I="
        ),
        (#"{"root":{"c":{".value":99,".priority":"abc"},".priority":"def"}}"#, "Fm6tzN4CVEu5WxFDZUdTtqbTVaA="),
        (#"{"root":{"c":{".value":99,".priority":42},".priority":3.14}}"#, "B15QCqrzCxrI5zz1y00arWqFRFg="),
        // By priority: none, numbers, texts.
        (
            #"{"a":{".value":1,".priority":2},"b":{".value":1,".priority":1},"c":1,"d":{".value":1,".priority":"x"}}"#,
            "4hC7Nm/hc5CVV6ZipJPBHtuW4kI="
        ),
        // By key: whole numbers, then texts by UTF-16 units.
        (
            #"{"\uFFFD":1,"10":true,"😀":2,"n":{"z":1,"a":2},"2":false,"-5":3}"#,
            "SZwV7WzshxjVXo3M6yJu0/jwzJo="
        ),
    ]

    @Test("Values have the same hashes as in Firebase's clients", arguments: vectors)
    func known(json: String, hash: String) async throws {
        try await withStore(.memory) { store in
            try await store.update(try JSONUpdate(.value, at: "a/b", json: json.utf8))
            #expect(try await store.snapshot { try TreePath("a/b").nodeHash(in: $0.engine) } == hash)
        }
    }

    @Test("A write with an outdated hash writes nothing; of many writes with the same hash, one wins")
    func precondition() async throws {
        try await withStore(.memory) { store in
            let write = { @Sendable (value: Int, hash: String) in
                try await store.update(
                    try JSONUpdate(.value, at: "n", json: "\(value)".utf8), if: [.nodeHash("n", hash)])
            }
            _ = try await write(4, "")
            await expectCode(.preconditionFailed) { _ = try await write(5, "") }
            let four = "eVih19a6ZDz3NL32uVBtg9KSgQY="
            let made = await withTaskGroup { group in
                for value in 10..<30 {
                    group.addTask { (try? await write(value, four)) == nil ? 0 : 1 }
                }
                return await group.reduce(0, +)
            }
            #expect(made == 1)
        }
    }

    @Test("A node that is too large to be hashed fails its own write, and no other in the group")
    func tooLarge() async throws {
        try await withStore(.memory) { store in
            let text = String(repeating: "x", count: 9 << 20)
            for key in ["a", "b"] {
                try await store.set(try TreePath("large/\(key)"), to: .string(text))
            }
            async let other = store.set("other", to: 1)
            await expectCode(.tooLarge) {
                try await store.update(
                    try JSONUpdate(.value, at: "large", json: "1".utf8), if: [.nodeHash("large", "x")])
            }
            _ = try await other
            #expect(try await store.get("other") == 1)
        }
    }
}
