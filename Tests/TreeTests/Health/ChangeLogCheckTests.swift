import Testing

@testable import Tree

@Suite("Missing changes in the change log") struct ChangeLogCheckTests {
    /// Rows that are removed from a log of ten changes, of which the fourth has four rows.
    struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The changes that are removed as a whole.
        var changes: [UInt64] = []
        /// The rows of the fourth change that are removed.
        var pieces: [UInt32] = []
        /// The expected gap; nil if the log is complete.
        var gap: ChangeGap?

        var ranges: [ByteRange] {
            changes.map { ByteRange(from: Self.key($0), upTo: Self.key($0 + 1)) }
                + pieces.map { piece in
                    var key = Self.key(4)
                    if piece > 0 { key.appendBigEndian(piece) }
                    return ByteRange(from: key, upTo: key + [0])
                }
        }

        private static func key(_ sequence: UInt64) -> [UInt8] {
            var key = [StoreFormat.changeLogKeyspace]
            key.appendBigEndian(sequence)
            return key
        }
    }

    private static let damages = [
        Damage(testDescription: "nothing"),
        Damage(testDescription: "what is too old", changes: [1, 2]),
        Damage(testDescription: "one change", changes: [6], gap: ChangeGap(first: 6, end: 7)),
        Damage(testDescription: "a change of several rows", changes: [4], gap: ChangeGap(first: 4, end: 5)),
        Damage(testDescription: "two neighbours", changes: [6, 7], gap: ChangeGap(first: 6, end: 8)),
        Damage(testDescription: "two with one between", changes: [6, 8], gap: ChangeGap(first: 6, end: 9)),
        Damage(testDescription: "the last but one", changes: [9], gap: ChangeGap(first: 9, end: 10)),
        Damage(testDescription: "the beginning of a change", pieces: [0], gap: ChangeGap(first: 4, end: 5)),
        Damage(testDescription: "the middle of a change", pieces: [1, 2], gap: ChangeGap(first: 4, end: 5)),
        Damage(
            testDescription: "the beginning of the oldest change", changes: [1, 2, 3], pieces: [0],
            gap: ChangeGap(first: 4, end: 5)),
    ]

    @Test("they are found, and the changes before them are forgotten", arguments: damages, EngineKind.allCases)
    func gaps(damage: Damage, kind: EngineKind) async throws {
        try await withEngine(kind) { engine in
            let store = try await TreeStore(engine: engine, isMaintained: false)
            for number in 1...10 as ClosedRange<Int64> {
                let text = TreeValue.string(String(repeating: "x", count: 3000))
                try await store.set("n", to: number == 4 ? text : .integer(number))
            }
            let rows = try await keys(of: engine).count { $0.first == StoreFormat.changeLogKeyspace }
            #expect(rows == 13)
            try await engine.write { transaction throws(TreeError) in
                for range in damage.ranges { try transaction.remove(range) }
            }
            let check = ChangeLogCheck(store)
            for batch in [1, 2, 3, 1000] { #expect(try await check.gap(batch: batch) == damage.gap, "\(batch)") }
            guard let gap = damage.gap else { return }

            try await check.forgetChanges(before: gap.end)
            #expect(try await check.gap() == nil)
            await expectCode(.tokenTooOld) {
                _ = try await store.changes(since: SyncToken(sequence: gap.first - 1), limit: 100)
            }
            let left = try await store.changes(since: try await store.oldestToken, limit: 100)
            #expect(left.map(\.token.sequence) == Array(gap.end...10))
            #expect(try await store.set("n", to: "next").sequence == 11)
        }
    }

    @Test("the last change always stays", arguments: EngineKind.allCases)
    func last(kind: EngineKind) async throws {
        try await withStore(kind) { store in
            for number in 1...3 as ClosedRange<Int64> { try await store.set("n", to: .integer(number)) }
            try await ChangeLogCheck(store).forgetChanges(before: .max)
            #expect(try await store.token.sequence == 3)
            #expect(try await store.set("n", to: 4).sequence == 4)
        }
    }
}
