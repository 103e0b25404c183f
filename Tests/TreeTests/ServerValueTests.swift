import Testing

@testable import Tree

/// The values that the store fills in when it commits an update that was not created from JSON.
@Suite(.timeLimit(.minutes(20))) struct ServerValueTests {
    @Test("the position in the change log and the time are those of the commit", arguments: EngineKind.allCases)
    func position(kind: EngineKind) async throws {
        try await withStore(kind) { store in
            try await store.set("before", to: 1)
            var update = MultiPathUpdate()
            update["post"] = ["text": "a", "published": "replaced"]
            update.set("post/published", to: .position)
            update.set("post/stamps/at", to: .timestamp)
            update.set("list/mark", to: .position)
            let token = try await store.update(update)
            let position = TreeValue.integer(Int64(token.sequence))
            #expect(token.sequence == 2)
            let post = try #require(try await store.get("post"))
            #expect(post["text"] == "a" && post["published"] == position)
            let change = try #require(try await store.changes(since: .start, limit: 10).last)
            #expect(post["stamps"] == ["at": change.timestamp.value])
            #expect(try await store.get("list/mark") == position)
            #expect(change.writes.map(\.path) == ["list/mark", "post"])
            #expect(change.writes.map(\.value) == [position, post], "the change log has what was filled in")
        }
    }

    @Test("each update in a shared transaction gets its own position", arguments: EngineKind.allCases)
    func groups(kind: EngineKind) async throws {
        try await withStore(kind) { store in
            let tokens = try await withThrowingTaskGroup(of: (TreeKey, SyncToken).self) { tasks in
                for number in 0..<50 {
                    tasks.addTask {
                        let key = TreeKey(unchecked: "k\(number)")
                        var update = MultiPathUpdate()
                        update["all" / key] = ["nothing": [:]]
                        update.set("all" / key / "position", to: .position)
                        return (key, try await store.update(update))
                    }
                }
                return try await tasks.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            for child in try await store.children(of: "all") {
                #expect(child.value == ["position": .integer(Int64(tokens[child.key]?.sequence ?? 0))])
            }
            #expect(Set(tokens.values).count == 50)
        }
    }

    @Test("the last value or server value at a path counts; one below a leaf is refused")
    func conflicts() async throws {
        try await withStore(.memory) { store in
            var update = MultiPathUpdate()
            update.set("a", to: .position)
            update["a"] = 7
            update["b"] = 7
            update.set("b", to: .position)
            let token = try await store.update(update)
            #expect(try await store.get(.root) == ["a": 7, "b": .integer(Int64(token.sequence))])
            update.set("a/b", to: .position)
            let refused = update
            await expectCode(.conflictingPaths) { try await store.update(refused) }
            var deletion = MultiPathUpdate()
            deletion["b"] = nil
            deletion.set("b/c", to: .position)
            try await store.update(deletion)
            #expect(try await store.get("b") == ["c": 2], "what is deleted around it goes")
        }
    }

    @Test("a staged write has the position too, as has the change log", arguments: EngineKind.allCases)
    func staged(kind: EngineKind) async throws {
        let children = (0..<60).map { (TreeKey(unchecked: "k\($0)"), TreeValue.integer(1)) }
        try await withEngine(kind) { engine in
            let store = try await TreeStore(
                engine: engine, minRowsOfLargeWrite: 50, piece: StagingEngine.Piece(rows: 7))
            try await store.set("large/count", to: 5)
            var update = MultiPathUpdate()
            update["large"] = .object(Dictionary(uniqueKeysWithValues: children))
            update.set("large/k7", to: .position)
            let token = try await store.update(update)
            let expected = TreeValue.integer(Int64(token.sequence))
            #expect(try await store.get("large/k7") == expected, "before it is settled")
            await store.largeWrites.waitUntilSettled()
            #expect(try await store.get("large/k7") == expected)
            #expect(try await store.children(of: "large").count == 60)
            let change = try #require(try await store.changes(since: .start, limit: 10).last)
            #expect(change.writes[0].value?["k7"] == expected)
            // The server values of JSON behave the same way.
            let members = (0..<60).map { #""k\#($0)":1"# }.joined(separator: ",")
            let json = #"{\#(members),"count":{".sv":{"increment":2}}}"#
            try await store.set("other/count", to: 5)
            try await store.update(try JSONUpdate(.value, at: "other", json: json.utf8))
            #expect(try await store.get("other/count") == 7)
            await store.largeWrites.waitUntilSettled()
            #expect(try await store.get("other/count") == 7)
            try await store.healthCheck.round()
            await store.close()
        }
    }

    @Test("JSON cannot express the position")
    func spelling() async throws {
        for name in ["position", "token", "sequence"] {
            await expectCode(.invalidJSON) { _ = try JSONUpdate(.value, at: "a", json: #"{".sv":"\#(name)"}"#.utf8) }
        }
    }
}
