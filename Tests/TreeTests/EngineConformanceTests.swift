import TestSupport
import Testing

@testable import Tree

/// The requirements for every engine, whatever its storage.
@Suite("F5: Every engine passes one conformance suite") struct EngineConformanceTests {
    @Test("entries are set, replaced, found and removed", arguments: EngineKind.allCases)
    func entries(kind: EngineKind) async throws {
        try await withEngine(kind) { engine in
            try await engine.write { transaction throws(TreeError) in
                for key: [UInt8] in [[2], [1], [1, 0], [0], [0xFE, 0xFF]] { try transaction.put(key + [7], for: key) }
                try transaction.put([], for: [3])
                try transaction.put([8], for: [2])
            }
            let values = try await engine.read { snapshot throws(TreeError) in
                [try snapshot.value(for: [2]), try snapshot.value(for: [3]), try snapshot.value(for: [4])]
            }
            #expect(values == [[8], [], nil])
            try await engine.write { transaction throws(TreeError) in
                try transaction.remove(ByteRange(from: [1], upTo: [2]))
            }
            #expect(try await keys(of: engine, .all) == [[0], [2], [3], [0xFE, 0xFF]])
        }
    }

    @Test(
        "long values are set, replaced by short ones and by others, scanned and removed", arguments: EngineKind.allCases
    )
    func longValues(kind: EngineKind) async throws {
        try await withEngine(kind) { engine in
            var expected: [[UInt8]: [UInt8]] = [:]
            for (step, lengths) in [[0, 16_384, 16_385, 3_000_000], [16_385, 1, 0, 20_000], [1, 40_000]].enumerated() {
                for (index, length) in lengths.enumerated() {
                    expected[[UInt8(index)]] = [UInt8](repeating: UInt8(step), count: length)
                }
                try await engine.write { [expected] transaction throws(TreeError) in
                    for (key, value) in expected { try transaction.put(value, for: key) }
                    for (key, value) in expected {
                        guard try transaction.value(for: key) == value else { throw TreeError.corrupt("\(key)") }
                    }
                }
                #expect(try await Self.rows(of: engine) == expected)
            }
            await expectCode(.invalidValue) {
                try await engine.write { transaction throws(TreeError) in
                    try transaction.put([UInt8](repeating: 9, count: 50_000), for: [1])
                    try transaction.remove(ByteRange(from: [2], upTo: [9]))
                    throw TreeError(.invalidValue, "no")
                }
            }
            #expect(try await Self.rows(of: engine) == expected)
            try await engine.write { transaction throws(TreeError) in
                try transaction.remove(ByteRange(from: [1], upTo: [3]))
            }
            (expected[[1]], expected[[2]]) = (nil, nil)
            #expect(try await Self.rows(of: engine) == expected)
        }
    }

    private static func rows(of engine: any Engine) async throws -> [[UInt8]: [UInt8]] {
        try await engine.read { snapshot throws(TreeError) in
            var rows: [[UInt8]: [UInt8]] = [:]
            try snapshot.scan(.all, reverse: true) { key, value throws(TreeError) in
                rows[key.copied] = value.copied
                return true
            }
            return rows
        }
    }

    static let ranges: [(ByteRange, [[UInt8]])] = [
        (ByteRange(from: [], upTo: [0xFF]), [[1], [1, 0], [1, 1], [2]]),
        (ByteRange(from: [1], upTo: [2]), [[1], [1, 0], [1, 1]]),
        (ByteRange(from: [1, 0], upTo: [1, 0, 0]), [[1, 0]]),
        (ByteRange(from: [1, 2], upTo: [2]), []),
        (ByteRange(from: [2], upTo: [1]), []),
        (ByteRange(from: [1], upTo: [1]), []),
        (ByteRange(from: [3], upTo: [9]), []),
        (ByteRange(from: [], upTo: []), []),
    ]

    @Test("ranges are scanned both ways and no further than requested", arguments: EngineKind.allCases)
    func scans(kind: EngineKind) async throws {
        try await withEngine(kind) { engine in
            try await engine.write { transaction throws(TreeError) in
                for key: [UInt8] in [[1], [1, 0], [1, 1], [2]] { try transaction.put([0], for: key) }
            }
            for (range, expected) in Self.ranges {
                #expect(try await keys(of: engine, range) == expected)
                #expect(try await keys(of: engine, range, reverse: true) == expected.reversed())
                #expect(try await keys(of: engine, range, limit: 1) == Array(expected.prefix(1)))
                #expect(try await keys(of: engine, range, reverse: true, limit: 1) == Array(expected.suffix(1)))
            }
        }
    }

    @Test("a transaction reads its own writes; one that fails leaves nothing", arguments: EngineKind.allCases)
    func transactions(kind: EngineKind) async throws {
        try await withEngine(kind) { engine in
            try await engine.write { transaction throws(TreeError) in try transaction.put([1], for: [1]) }
            await expectCode(.invalidValue) {
                try await engine.write { transaction throws(TreeError) in
                    try transaction.put([2], for: [2])
                    try transaction.remove(.only([1]))
                    let values = [try transaction.value(for: [1]), try transaction.value(for: [2])]
                    #expect(values == [nil, [2]])
                    throw TreeError(.invalidValue, "on purpose")
                }
            }
            #expect(try await keys(of: engine, .all) == [[1]])
        }
    }

    @Test("a large value is read back unchanged", arguments: EngineKind.allCases)
    func largeValue(kind: EngineKind) async throws {
        let value = (0..<12_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try await withEngine(kind) { engine in
            try await engine.write { transaction throws(TreeError) in try transaction.put(value, for: [1]) }
            #expect(try await engine.read { snapshot throws(TreeError) in try snapshot.value(for: [1]) } == value)
        }
    }

    @Test("random transactions agree with a dictionary", arguments: EngineKind.allCases)
    func agreesWithDictionary(kind: EngineKind) async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        var expected: [[UInt8]: [UInt8]] = [:]
        try await withEngine(kind) { engine in
            for step in 0..<60 {
                let puts = (0..<Int.random(in: 0...200, using: &random)).map { _ in random.bytes() }
                let ends = [random.bytes(), random.bytes()].sorted { $0.lexicographicallyPrecedes($1) }
                let removed = ByteRange(from: ends[0], upTo: ends[1])
                try await engine.write { transaction throws(TreeError) in
                    if step % 4 == 0 { try transaction.remove(removed) }
                    for key in puts { try transaction.put([UInt8(step)], for: key) }
                }
                if step % 4 == 0 { expected = expected.filter { !removed.contains($0.key) } }
                for key in puts { expected[key] = [UInt8(step)] }
                let range = ByteRange(from: random.bytes(), upTo: random.bytes())
                let sorted = expected.keys.filter(range.contains).sorted { $0.lexicographicallyPrecedes($1) }
                #expect(try await keys(of: engine, range) == sorted, "seed \(seed), step \(step)")
                #expect(try await keys(of: engine, range, reverse: true) == sorted.reversed(), "seed \(seed)")
            }
            for (key, value) in expected {
                let stored = try await engine.read { snapshot throws(TreeError) in try snapshot.value(for: key) }
                #expect(stored == value, "seed \(seed)")
            }
        }
    }

    @Test("after close every call is refused", arguments: EngineKind.allCases)
    func closed(kind: EngineKind) async throws {
        try await withEngine(kind) { engine in
            await engine.close()
            await expectCode(.closed) { try await engine.read { _ throws(TreeError) in } }
            await expectCode(.closed) { try await engine.write { _ throws(TreeError) in } }
        }
    }

    private func keys(
        of engine: any Engine, _ range: ByteRange, reverse: Bool = false, limit: Int = .max
    ) async throws -> [[UInt8]] {
        try await engine.read { snapshot throws(TreeError) in
            var keys: [[UInt8]] = []
            try snapshot.scan(range, reverse: reverse) { key, _ throws(TreeError) in
                keys.append(key.copied)
                return keys.count < limit
            }
            return keys
        }
    }
}

extension ByteRange {
    fileprivate func contains(_ key: [UInt8]) -> Bool {
        !key.lexicographicallyPrecedes(lower) && key.lexicographicallyPrecedes(upper)
    }
}

extension SeededGenerator {
    fileprivate mutating func bytes() -> [UInt8] {
        (0..<Int.random(in: 1...3, using: &self)).map { _ in UInt8.random(in: 0...40, using: &self) }
    }
}
