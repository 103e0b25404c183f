import CSystemSQLite
import TestSupport
import Testing

@testable import Tree

/// An unreadable row is reported and affects nothing else, until an admin replaces it.
@Suite(.timeLimit(.minutes(20))) struct DamagedRowTests {
    /// The kinds of damage to a row.
    enum Damage: CaseIterable, Sendable {
        case otherText, noBytes, unknownTag, notUTF8, longValueGone, priority

        var path: TreePath { self == .longValueGone ? "people/b/story" : "people/b/name" }

        var key: [UInt8] { StoreFormat.dataKey(path) + (self == .priority ? [PathEncoding.priorityTag] : []) }

        /// The damage as SQL. A row from before the checksums has none.
        var statement: String {
            switch self {
            case .otherText, .priority: "UPDATE entries SET value = X'05426F62' WHERE key = X'\(key.hexadecimal)'"
            case .noBytes: "UPDATE entries SET value = X'', checksum = NULL WHERE key = X'\(key.hexadecimal)'"
            case .unknownTag: "UPDATE entries SET value = X'63', checksum = NULL WHERE key = X'\(key.hexadecimal)'"
            case .notUTF8: "UPDATE entries SET value = X'05FF', checksum = NULL WHERE key = X'\(key.hexadecimal)'"
            case .longValueGone: "DELETE FROM long_values WHERE key = X'\(key.hexadecimal)'"
            }
        }
    }

    /// The numbers of filler rows for a database below 4 MiB, and for one above.
    private static let sizes = [0, 2500]

    @Test(
        "it is reported, and all other rows can be read and written, however large the store is",
        arguments: Damage.allCases, sizes)
    func named(damage: Damage, fillerCount: Int) async throws {
        try await withDamaged(damage, fillerCount) { store in
            let found = await expectCode(.corrupt) { try await store.healthCheck.round() }
            #expect(found?.path == damage.path)
            #expect(found?.message.contains("table entries, key x'\(damage.key.hexadecimal)'") == true, "\(damage)")
            #expect(found?.hint?.contains("tintype store repair --row '\(damage.path)' --drop") == true)
            let met = await expectCode(.corrupt) { _ = try await store.get(damage.path) }
            #expect(met?.path == damage.path)
            await expectCode(.corrupt) { _ = try await store.snapshot { try $0.children(of: "people") } }
            #expect(try await store.get("people/a/name") == "Anna")
            try await store.set("people/c/name", to: "Carla")
            try await store.probe()
            #expect(try await store.get("people/c/name") == "Carla")
            #expect(store.health.damage == nil && store.health.damagedRows.map(\.path) == [damage.path])
        }
    }

    @Test("a store that checks itself when it opens accepts writes meanwhile", arguments: sizes)
    func opened(fillerCount: Int) async throws {
        try await withDamaged(.otherText, fillerCount, isMaintained: true) { store in
            await store.health.waitForDamagedRows(beyond: 0)
            try await store.set("people/c/name", to: "Carla")
            #expect(store.health.damage == nil)
        }
    }

    @Test(
        "a damaged row at an end is found when the store opens, and missing updates are still looked for",
        arguments: ["a", "z"])
    func atAnEnd(_ key: TreeKey) async throws {
        try await withScratchFolder { folder in
            let path = folder + "/tree.sqlite"
            let first = try await TreeStore(engine: try SQLiteEngine(path: path), isMaintained: false)
            try await first.set(.root, to: ["a": "x", "m": "x", "z": "x"])
            await first.close()
            let row = StoreFormat.dataKey(TreePath([key])).hexadecimal
            try Self.execute("UPDATE entries SET value = X'0579' WHERE key = X'\(row)'", on: path)
            let mark = try CommitMark(path: folder + "/tree.mark")
            mark.advance(to: SyncToken(sequence: 9))
            let store = try await TreeStore(engine: try SQLiteEngine(path: path), mark: mark, isMaintained: false)
            #expect(store.health.damagedRows.map(\.path) == [TreePath([key])])
            #expect(store.health.damage?.code == .missingUpdates)
            await store.close()
        }
    }

    @Test("updates that share a transaction with one that meets the row are committed")
    func groups() async throws {
        try await withDamaged(.otherText, 0) { store in
            let made = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<300 {
                    group.addTask {
                        let isBad = number % 50 == 25
                        let path: TreePath = isBad ? Damage.otherText.path : "numbers" / TreeKey(unchecked: "\(number)")
                        do throws(TreeError) {
                            try await store.set(path, to: .integer(Int64(number)))
                            return !isBad
                        } catch {
                            return isBad && error.path == path
                        }
                    }
                }
                return await group.allSatisfy { $0 }
            }
            #expect(made)
            let count = try await store.keys(of: "numbers").count
            #expect(count == 294)
        }
    }

    @Test(
        "an unreadable change is forgotten with those before it; if it is the last, the store is damaged",
        arguments: [1, 3, 5] as [UInt64])
    func changeLog(number: UInt64) async throws {
        try await withScratchFolder { folder in
            let path = folder + "/tree.sqlite"
            let first = try await Self.open(path)
            for round in 1...5 as ClosedRange<Int64> { try await first.set("k", to: .integer(round)) }
            await first.close()
            let row = ([StoreFormat.changeLogKeyspace] + [0, 0, 0, 0, 0, 0, 0, UInt8(number)]).hexadecimal
            try Self.execute("UPDATE entries SET value = X'0579' WHERE key = X'\(row)'", on: path)

            let store = try await Self.open(path)
            try? await store.healthCheck.round()
            #expect(store.health.finding?.message.contains("the change log, table entries, key x'\(row)'") == true)
            if number == 5 {
                #expect(store.health.damage != nil)
                await expectCode(.corrupt) { try await store.set("k", to: 6) }
            } else {
                #expect(store.health.damage == nil)
                try await store.set("k", to: 6)
                let changes = try await store.changes(since: SyncToken(sequence: number), limit: 9)
                #expect(changes.map(\.token.sequence) == Array(number + 1...6))
                await expectCode(.tokenTooOld) {
                    _ = try await store.changes(since: SyncToken(sequence: number - 1), limit: 9)
                }
                try await store.healthCheck.round()
            }
            await store.close()
        }
    }

    @Test("an update is committed although a change that it would trim cannot be read")
    func oldChange() async throws {
        try await withScratchFolder { folder in
            let path = folder + "/tree.sqlite"
            let first = try await Self.open(path)
            for round in 1...5 as ClosedRange<Int64> { try await first.set("k", to: .integer(round)) }
            try Self.execute("UPDATE entries SET value = X'05' WHERE key > X'02' AND key < X'03'", on: path)
            try await first.set("k", to: 6)
            #expect(try await first.get("k") == 6)
            await first.close()
        }
    }

    @Test("many damaged rows make a damaged store")
    func manyRows() async throws {
        try await withScratchFolder { folder in
            let path = folder + "/tree.sqlite"
            try await Self.fill(path, 0)
            let first = try await TreeStore(engine: try SQLiteEngine(path: path), isMaintained: false)
            var list: [TreeKey: TreeValue] = [:]
            for number in 0..<200 { list[TreeKey(unchecked: "k\(number)")] = "text" }
            try await first.set("list", to: .object(list))
            await first.close()
            try Self.execute("UPDATE entries SET value = X'0579' WHERE key >= X'10' AND key < X'11'", on: path)
            let store = try await TreeStore(engine: try SQLiteEngine(path: path), isMaintained: false)
            await expectCode(.corrupt) { try await store.healthCheck.round() }
            #expect(store.health.damagedRows.count == TreeHealth.maxRows)
            #expect(store.health.damage?.message.contains("more than 100 rows") == true)
            await expectCode(.corrupt) { try await store.set("list/k1", to: nil) }
            await store.close()
        }
    }

    // MARK: Replacement by an admin

    @Test(
        "an admin drops or replaces it like an ordinary update, and its derivations are written too",
        arguments: Damage.allCases, ["null", #""Bob""#])
    func replaced(damage: Damage, json: String) async throws {
        try await withDamaged(damage, 0) { store in
            let row = try #require(try await DamagedRow.find(at: damage.path, in: store))
            #expect(row.key == damage.key)
            if damage == .otherText { #expect(row.value == [LeafEncoding.stringTag] + Array("Bob".utf8)) }
            let token = try await store.token
            let form: JSONUpdate.Form = row.isPriority ? .priority : .value
            let update = try JSONUpdate(form, at: damage.path, json: Array(json.utf8))
            try await row.replace(at: damage.path, by: update, in: store)
            #expect(try await store.changes(since: token, limit: 9).count == 1)
            #expect(try await DamagedRow.find(at: damage.path, in: store) == nil)
            await expectCode(.preconditionFailed) { try await row.replace(at: damage.path, by: update, in: store) }

            try await store.healthCheck.round()
            let isNameGone = json == "null" && ![.priority, .longValueGone].contains(damage)
            let names: TreeValue? = isNameGone ? nil : 1
            #expect(try await store.get("stats/b/names") == names)
            let value = try await store.get(damage.path)
            if damage == .priority {
                let priority = try await store.snapshot { try $0.priorityJSON(of: damage.path) }
                #expect(value == "Bill" && priority == Array(json.utf8))
            } else {
                #expect(value == (json == "null" ? nil : "Bob"))
            }
        }
    }

    @Test("an index has no entry of the old value")
    func index() async throws {
        try await withScratchFolder { folder in
            let path = folder + "/tree.sqlite"
            let first = try await Self.open(path)
            try await first.setRules(#"{ "rules": { "list": { ".indexOn": "n" } } }"#)
            try await first.set("list", to: ["x": ["n": 1], "y": ["n": 2]])
            while try await first.maintenance.pass() == .work {}
            await first.close()
            let key = StoreFormat.dataKey("list/x/n").hexadecimal
            try Self.execute("UPDATE entries SET value = X'030000000000000007' WHERE key = X'\(key)'", on: path)

            let store = try await Self.open(path)
            let row = try #require(try await DamagedRow.find(at: "list/x/n", in: store))
            try await row.replace(
                at: "list/x/n", by: try JSONUpdate(.value, at: "list/x/n", json: Array("5".utf8)), in: store)
            while try await store.maintenance.pass() == .work {}
            let entries = try await keys(of: store.engine).filter { $0.first == StoreFormat.indexKeyspace }
            #expect(entries.count == 2)
            for (number, expected) in [(1, []), (5, ["x"]), (2, ["y"])] as [(TreeValue, [TreeKey])] {
                let query = try TreeQuery(order: .child("n"), equalTo: .init(number))
                let found = try await store.snapshot { try $0.children(of: "list", matching: query).map(\.key) }
                #expect(found == expected, "\(number)")
            }
            await store.close()
        }
    }

    @Test("a readable or missing row is not a damaged row", arguments: ["people/a/name", "people", "nobody"])
    func sound(_ path: String) async throws {
        try await withDamaged(.otherText, 0) { store in
            let row = try await DamagedRow.find(at: try TreePath(path), in: store)
            #expect(row == nil)
        }
    }

    // MARK: Helpers

    /// A derivation that counts names, so that something depends on the row.
    private static let derivations: [[any Derivation]] = [
        [NodeCounter(of: TreePattern("people/*/name"), at: TreePattern("stats/*/names"))]
    ]

    private static func open(_ path: String, isMaintained: Bool = false) async throws -> TreeStore {
        try await TreeStore(
            engine: try SQLiteEngine(path: path), derivations: derivations, isMaintained: isMaintained)
    }

    private static func fill(_ path: String, _ fillerCount: Int) async throws {
        let store = try await open(path)
        let story = TreeValue.string(String(repeating: "a long story ", count: 2000))
        for (key, name) in [("a", "Anna"), ("b", "Bill"), ("c", "Carl")] as [(TreeKey, TreeValue)] {
            try await store.set("people" / key, to: ["name": name, "story": story])
        }
        try await store.update(try JSONUpdate(.priority, at: Damage.priority.path, json: Array("1".utf8)))
        var filler: [TreeKey: TreeValue] = [:]
        for number in 0..<fillerCount {
            filler[TreeKey(unchecked: "k\(number)")] = .string(String(repeating: "\(number) ", count: 400))
        }
        if fillerCount > 0 { try await store.set("filler", to: .object(filler)) }
        await store.close()
    }

    /// Runs a body with a store in which one row is damaged.
    private func withDamaged(
        _ damage: Damage, _ fillerCount: Int, isMaintained: Bool = false,
        _ body: (TreeStore) async throws -> Void
    ) async throws {
        try await withScratchFolder { folder in
            let path = folder + "/tree.sqlite"
            try await Self.fill(path, fillerCount)
            try Self.execute(damage.statement, on: path)
            let store = try await Self.open(path, isMaintained: isMaintained)
            try await body(store)
            await store.close()
        }
    }

    private static func execute(_ sql: String, on path: String) throws {
        let connection = try SQLiteConnection(path: path, mode: .readWrite)
        try connection.execute(sql)
        try #require(sqlite3_changes(connection.handle) > 0, "\(sql)")
    }
}
