import API
import Access
import Database
import Model
import TestSupport
import Testing
import Tree

@Suite("Writes with the key of a request", .timeLimit(.minutes(20)))
struct RequestKeyTests {
    private static func session(of uid: String?, in fixture: Fixture) -> DatabaseSession {
        fixture.database.session(as: .user(User(uid: uid, auth: ["uid": .string(uid ?? ""), "token": [:]])))
    }

    private static func terms(_ key: String, etag: String? = nil) throws -> WriteTerms {
        var terms = WriteTerms(etag: etag)
        terms.key = try ClientReference.key(key)
        return terms
    }

    private static func set(
        _ path: TreePath, _ json: String, _ terms: WriteTerms, in session: DatabaseSession
    ) async throws -> WriteReceipt {
        var write = try session.set(DatabasePath(path))
        try write.receive(Array(json.utf8).span)
        return try await session.commit(write, on: terms)
    }

    private static func update(
        _ path: TreePath, _ json: String, _ terms: WriteTerms, in session: DatabaseSession
    ) async throws -> WriteReceipt {
        var write = try session.update(DatabasePath(path))
        try write.receive(Array(json.utf8).span)
        return try await session.commit(write, on: terms)
    }

    private static func push(
        _ path: TreePath, _ json: String, _ terms: WriteTerms, in session: DatabaseSession
    ) async throws -> WriteReceipt {
        var write = try session.push(to: DatabasePath(path), as: session.makeKey())
        try write.receive(Array(json.utf8).span)
        return try await session.commit(write, on: terms)
    }

    private static func text(_ receipt: WriteReceipt) throws -> String {
        String(decoding: try receipt.json(), as: UTF8.self)
    }

    @Test("Repetitions get the numbers that the store determined for the first request")
    func serverValues() async throws {
        try await withDatabase { fixture in
            let session = fixture.stranger
            let json = #"{"n":{".sv":{"increment":1}},"h":{".sv":{"increment":0.5}},"t":{".sv":"timestamp"}}"#
            let first = try Self.text(try await Self.set("a", json, try Self.terms("one"), in: session))
            for _ in 0..<3 {
                let again = try await Self.set("a", json, try Self.terms("one"), in: session)
                #expect(try Self.text(again) == first)
            }
            #expect(try await session.text(of: "a") == first)
            // The members are in another order, and there are other spaces.
            let same = #"{ "t":{".sv":"timestamp"}, "h":{".sv":{"increment":0.5}}, "n":{".sv":{"increment":1}} }"#
            #expect(try Self.text(try await Self.set("a", same, try Self.terms("one"), in: session)) == first)
            let paths = #"{"b/n":{".sv":{"increment":7}},"a/n":{".sv":{"increment":1}},"c":"x"}"#
            let written = try Self.text(try await Self.update(.root, paths, try Self.terms("two"), in: session))
            for _ in 0..<2 {
                let again = try await Self.update(.root, paths, try Self.terms("two"), in: session)
                #expect(try Self.text(again) == written)
            }
            #expect(try await session.text(of: "b/n") == "7")
        }
    }

    @Test("A request with a key has a limited number of server values; without one it has no such limit")
    func manyServerValues() async throws {
        try await withDatabase { fixture in
            let session = fixture.stranger
            let members = (0...1000).map { #""k\#($0)":{".sv":"timestamp"}"# }.joined(separator: ",")
            let code = await outcome {
                _ = try await Self.set("a", "{\(members)}", try Self.terms("one"), in: session)
            }
            #expect(code == "too_large")
            #expect(try await session.text(of: "a") == "null")
            _ = try await Self.set("a", "{\(members)}", WriteTerms(), in: session)
            #expect(try await session.text(of: "a", .count) == "1001")
        }
    }

    @Test("Another request with the key is refused, and has no effect", arguments: [Identity.admin, .anonymous])
    func reused(identity: Identity) async throws {
        try await withDatabase { fixture in
            let session = fixture.database.session(as: identity)
            _ = try await Self.set("a", "1", try Self.terms("one"), in: session)
            let others: [@Sendable () async throws -> Void] = [
                { _ = try await Self.set("a", "2", try Self.terms("one"), in: session) },
                { _ = try await Self.set("b", "1", try Self.terms("one"), in: session) },
                { _ = try await Self.set("a", "1", try Self.terms("one", etag: "null_etag"), in: session) },
                { _ = try await Self.push("a", "1", try Self.terms("one"), in: session) },
                { _ = try await Self.update(.root, #"{"a":1}"#, try Self.terms("one"), in: session) },
                { _ = try await session.remove(DatabasePath("a"), on: try Self.terms("one")) },
                {
                    let path = TreePath(["a"], in: try Namespace("other"))
                    _ = try await Self.set(path, "1", try Self.terms("one"), in: session)
                },
                {
                    var write = try session.set(DatabasePath("a", isPriority: true))
                    try write.receive(Array("1".utf8).span)
                    _ = try await session.commit(write, on: try Self.terms("one"))
                },
            ]
            for (index, other) in others.enumerated() {
                #expect(await outcome(other) == "key_reused", "\(index)")
            }
            #expect(try await fixture.owner.text(of: .root, .value(.export)) == #"{"a":1}"#)
        }
    }

    @Test("A key belongs to its sender: people, the owner, and all without an id")
    func owners() async throws {
        try await withDatabase { fixture in
            let longest = String(repeating: "x", count: 128)
            let uids = ["maria", "anna", "~", "~anonymous", "~7E", "a b", "ü", "a/b", longest]
            var sessions = uids.map { Self.session(of: $0, in: fixture) }
            sessions += [fixture.owner, fixture.stranger]
            for (number, session) in sessions.enumerated() {
                for _ in 0..<2 { _ = try await Self.push("list", "\(number)", try Self.terms("one"), in: session) }
            }
            let values = try await fixture.tree.children(of: "list").map(\.value)
            #expect(values == sessions.indices.map { .integer(Int64($0)) })
            let nobody = Self.session(of: nil, in: fixture)
            #expect(
                await outcome { _ = try await Self.push("list", "0", try Self.terms("one"), in: nobody) }
                    == "key_reused", "it shares its keys with strangers")
        }
    }

    @Test("A repetition is answered although rules or a condition would refuse the write now")
    func afterTheEffect() async throws {
        try await withDatabase { fixture in
            try await fixture.tree.setRules(
                #"{"rules": {"$a": {".read": true, "$b": {".write": "!data.exists()"}}}}"#)
            let session = Self.session(of: "maria", in: fixture)
            let made = try await Self.push("list", #""x""#, try Self.terms("push"), in: session).childKey
            #expect(made != nil)
            #expect(try await Self.push("list", #""x""#, try Self.terms("push"), in: session).childKey == made)
            for _ in 0..<2 { _ = try await Self.set("a/b", "1", try Self.terms("set", etag: "null_etag"), in: session) }
            #expect(
                await outcome { _ = try await Self.set("a/b", "1", try Self.terms("other"), in: session) }
                    == "permission_denied")
            // A refused request has left its key free.
            _ = try await Self.set("a/c", "1", try Self.terms("other"), in: session)
            #expect(try await fixture.owner.text(of: "list", .count) == "1")
        }
    }

    @Test("Many concurrent repetitions of a push make one child, and all get its name", arguments: 0..<5)
    func concurrent(seed: UInt64) async throws {
        try await withDatabase { fixture in
            var random = SeededGenerator(seed: seed)
            let requests = (0..<120).map { _ in random.below(12) }
            let names: [Int: Set<TreeKey?>] = try await withThrowingTaskGroup(of: (Int, TreeKey?).self) { group in
                for number in requests {
                    group.addTask {
                        let session = Self.session(of: "maria", in: fixture)
                        let terms = try Self.terms("key \(number)")
                        return (number, try await Self.push("list", "\(number)", terms, in: session).childKey)
                    }
                }
                return try await group.reduce(into: [:]) { $0[$1.0, default: Set()].insert($1.1) }
            }
            #expect(names.values.allSatisfy { $0.count == 1 && !$0.contains(nil) })
            let children = try await fixture.tree.children(of: "list")
            #expect(children.count == Set(requests).count)
            for child in children {
                #expect(names[Int(child.value.integerValue ?? -1)] == [child.key])
            }
        }
    }

    @Test("One of several concurrent requests with one key and different contents is carried out")
    func concurrentOthers() async throws {
        try await withDatabase { fixture in
            let outcomes: [String: Int] = await withTaskGroup(of: String.self) { group in
                for number in 0..<10 {
                    group.addTask {
                        await outcome {
                            _ = try await Self.set(
                                try TreePath("a/\(number)"), "1", try Self.terms("one"), in: fixture.stranger)
                        }
                    }
                }
                return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            let count = try await fixture.owner.text(of: "a", .count)
            #expect(outcomes == ["done": 1, "key_reused": 9] && count == "1")
        }
    }

    @Test("A large write, which is staged, is carried out once too; the same value under another key writes nothing")
    func large() async throws {
        try await withDatabase { fixture in
            let members = (0..<12_000).map { #""k\#($0)":1"# }.joined(separator: ",")
            let json = #"{\#(members),"n":{".sv":{"increment":1}}}"#
            let session = Self.session(of: "maria", in: fixture)
            let first = try await Self.set("a", json, try Self.terms("one"), in: session)
            let token = try await fixture.tree.token
            for _ in 0..<2 {
                let again = try await Self.set("a", json, try Self.terms("one"), in: session)
                #expect(try again.etag() == first.etag())
            }
            #expect(try await fixture.tree.token == token)
            #expect(try await session.text(of: "a/n") == "1")
            #expect(try await session.text(of: "a", .count) == "12001")
            let plain = "{\(members)}"
            for key in ["two", "three", "three"] {
                _ = try await Self.set("b", plain, try Self.terms(key), in: session)
            }
            #expect(
                await outcome { _ = try await Self.set("b", "1", try Self.terms("three"), in: session) }
                    == "key_reused")
            #expect(try await session.text(of: "b", .count) == "12000")
        }
    }

    @Test("The next process finds the keys of the one before")
    func reopened() async throws {
        try await withDatabase { fixture in
            let made = try await Self.push("list", "1", try Self.terms("one"), in: fixture.stranger).childKey
            let next = fixture.reopened().session(as: .anonymous)
            #expect(try await Self.push("list", "1", try Self.terms("one"), in: next).childKey == made)
            #expect(try await next.text(of: "list", .count) == "1")
        }
    }

    @Test("Keys expire, and leave nothing behind; a deleted person's keys are removed")
    func expiry() async throws {
        try await withDatabase { fixture in
            for key in ["one", "two"] {
                for uid in ["maria", "anna"] {
                    let session = Self.session(of: uid, in: fixture)
                    _ = try await Self.set("a", "1", try Self.terms(key), in: session)
                }
            }
            let keys = RequestKeys(fixture.tree, at: WorkNodes.requests)
            try await keys.forget(before: WallClock.now() - .seconds(60))
            let maria = Self.session(of: "maria", in: fixture)
            let changed: @Sendable () async throws -> Void = {
                _ = try await Self.set("a", "2", try Self.terms("one"), in: maria)
            }
            #expect(await outcome(changed) == "key_reused")
            let (count, _) = try await fixture.tree.transact { snapshot, update in
                try WorkNodes.requests.forget(of: "anna", limit: 100, in: snapshot, &update)
            }
            #expect(count == 2)
            #expect(try await fixture.tree.children(of: WorkNodes.request()).map(\.key) == ["maria"])
            try await keys.forget(before: WallClock.now() + .seconds(60))
            for node in [WorkNodes.request(), WorkNodes.requestInOrder()] {
                #expect(try await fixture.tree.get(node) == nil)
            }
            #expect(await outcome(changed) == "done")
        }
    }

    @Test("Listeners and the change log see the write once, and nothing of its key")
    func changes() async throws {
        try await withDatabase { fixture in
            let start = try await fixture.tree.token
            for _ in 0..<3 { _ = try await Self.set("a", "1", try Self.terms("one"), in: fixture.stranger) }
            let page = try await fixture.owner.changes(since: start, at: .root, limit: 10, .plain)
            #expect(page.entries.count == 1)
            #expect(page.entries.allSatisfy { !String(decoding: $0.json, as: UTF8.self).contains("one") })
            #expect(try await fixture.owner.text(of: .root) == #"{"a":1}"#)
        }
    }
}
