import Testing

@testable import Tree

@Suite struct QueryTests {
    static let dinosaurs = #"""
        {
          "bruhathkayosaurus": { "height": 25, "weight": 135000 },
          "lambeosaurus": { "height": 2.1, "dimensions": { "length": 12.5 } },
          "linhenykus": { "height": 0.6, ".priority": "z" },
          "pterodactyl": { "height": "0.6", ".priority": 1 },
          "stegosaurus": { "height": 4, "dimensions": { "length": 9 } },
          "triceratops": { "dimensions": { "length": 8 } },
          "7": { "height": true },
          "12": { "height": { "metres": 3 } },
          "nine": "leaf"
        }
        """#

    static let rules = #"{ "rules": { "dinosaurs": { ".indexOn": ["height", "dimensions/length"] } } }"#

    /// Order, lower end, upper end, limit, and the keys in order.
    typealias Row = (
        order: String, from: (String, Bool)?, to: (String, Bool)?, limit: TreeQuery.Limit?, keys: String
    )

    static let rows: [Row] = [
        (
            #""$key""#, nil, nil, nil,
            "7 12 bruhathkayosaurus lambeosaurus linhenykus nine pterodactyl stegosaurus triceratops"
        ),
        (#""$key""#, (#""12""#, true), (#""l\uf8ff""#, true), nil, "12 bruhathkayosaurus lambeosaurus linhenykus"),
        (#""$key""#, (#""7""#, false), (#""nine""#, false), .last(2), "lambeosaurus linhenykus"),
        (#""$key""#, (#""""#, true), nil, .first(1), "bruhathkayosaurus"),
        (#""$key""#, (#""no.key[]""#, true), nil, .first(1), "pterodactyl"),
        (
            #""height""#, nil, nil, nil,
            "nine triceratops 7 linhenykus lambeosaurus stegosaurus bruhathkayosaurus pterodactyl 12"
        ),
        (#""height""#, ("null", true), ("null", true), nil, "nine triceratops"),
        (#""height""#, ("null", false), nil, .first(2), "7 linhenykus"),
        (#""height""#, ("false", true), ("4", true), nil, "7 linhenykus lambeosaurus stegosaurus"),
        (#""height""#, ("0.6", true), ("25", false), nil, "linhenykus lambeosaurus stegosaurus"),
        (#""height""#, (#""""#, true), nil, nil, "pterodactyl 12"),
        (#""height""#, ("null,\"p\"", true), nil, .first(1), "triceratops"),
        (#""height""#, ("null,\"nine\"", false), nil, .first(1), "triceratops"),
        (#""height""#, ("0.6,\"[MAX_NAME]\"", true), nil, .first(1), "lambeosaurus"),
        (#""height""#, ("0.6,\"[MIN_NAME]\"", false), nil, .first(1), "linhenykus"),
        (#""height""#, nil, ("0.6,\"[MIN_NAME]\"", true), .last(1), "7"),
        (#""dimensions/length""#, ("1", true), nil, nil, "triceratops stegosaurus lambeosaurus"),
        (#""/dimensions/length/""#, ("1", true), nil, nil, "triceratops stegosaurus lambeosaurus"),
        (#""$priority""#, ("null", false), nil, nil, "pterodactyl linhenykus"),
        (#""$priority""#, nil, nil, .first(2), "7 12"),
    ]

    @Test("a query returns the children that its parameters select, in order", arguments: rows)
    func takes(row: Row) async throws {
        try await withDinosaurs { store in
            let query = try TreeQuery(
                order: .init(json: row.order),
                from: try row.from.map { from in try .init(json: from.0, isInclusive: from.1) },
                to: try row.to.map { to in try .init(json: to.0, isInclusive: to.1) }, limit: row.limit)
            try await store.snapshot { snapshot throws in
                let keys = try snapshot.children(of: "dinosaurs", matching: query).map(\.key.string)
                #expect(keys.joined(separator: " ") == row.keys)
                #expect(try snapshot.count(of: "dinosaurs", matching: query) == keys.count)
            }
        }
    }

    private func withDinosaurs(_ body: (TreeStore) async throws -> Void) async throws {
        try await withEngine(.memory) { engine in
            let store = try await TreeStore(engine: engine, isMaintained: false)
            try await store.setRules(Self.rules)
            _ = try await store.update(try JSONUpdate(.value, at: "dinosaurs", json: Self.dinosaurs.utf8))
            try await store.finishMaintenance()
            try await body(store)
        }
    }

    static let refusedBounds: [(order: String, bound: String, message: String)] = [
        (#""height""#, "", "Constraint index field must be a JSON primitive"),
        (#""height""#, "abc", "Constraint index field must be a JSON primitive"),
        (#""height""#, "{}", "Constraint index field must be a JSON primitive"),
        (#""height""#, "[1]", "Constraint index field must be a JSON primitive"),
        (#""height""#, "[[1]]", "Constraint index field must be a JSON primitive"),
        (#""height""#, "1,2", "Constraint index field must be a JSON primitive"),
        (#""height""#, #"1,"a","b""#, "Constraint index field must be a JSON primitive"),
        (#""height""#, "1],[2", "Constraint index field must be a JSON primitive"),
        (#""height""#, "1e999", "Constraint index field must be a JSON primitive"),
        (#""height""#, "\"\u{1}\"", "Constraint index field must be a JSON primitive"),
        (#""$key""#, "5", "Provided key index type is invalid, must be string"),
        (#""$key""#, "null", "Provided key index type is invalid, must be string"),
        (#""$key""#, #""a","b""#, "Provided key index type is invalid, must be string"),
        (#"["a","b"]"#, "[1,2,3]", "a bound has 3 values, the query orders by 2"),
        (#"["a","b"]"#, "[]", "a bound has 0 values, the query orders by 2"),
        (#"["a","b"]"#, #"[1],"key""#, "a bound has 1 values, the query orders by 2"),
    ]

    @Test("bounds that do not fit the order are refused in the protocol's words", arguments: refusedBounds)
    func refuseBounds(order: String, bound: String, message: String) async throws {
        let error = await expectCode(.invalidQuery) {
            _ = try TreeQuery(order: .init(json: order), from: .init(json: bound))
        }
        #expect(error?.message == message)
    }

    @Test(
        "orders that are neither a JSON string nor a path are refused",
        arguments: [
            "", "height", "5", "null", "[]", "[5]", #""""#, #""$other""#, #""a.b""#, #""a","b""#, "{}", "[[\"a\"]]",
        ])
    func refusedOrders(text: String) async throws {
        let error = await expectCode(.invalidQuery) { _ = try TreeQuery.Order(json: text) }
        #expect(error?.message == "orderBy must be a valid JSON encoded path")
    }

    @Test("a limit is a positive number", arguments: [TreeQuery.Limit.first(0), .last(0), .first(-1), .last(.min)])
    func refusedLimits(limit: TreeQuery.Limit) async throws {
        await expectCode(.invalidQuery) { _ = try TreeQuery(order: .key, limit: limit) }
    }

    @Test(
        "objects and numbers that are not finite cannot be bounds", arguments: [["a": 1], .double(.nan)] as [TreeValue])
    func refusedValues(value: TreeValue) {
        #expect(throws: TreeError.self) { try TreeQuery(order: .value, from: .init(value)) }
    }

    static let missingIndexes: [(order: TreeQuery.Order, message: String)] = [
        (.child("weight"), #"Index not defined, add ".indexOn": "weight", for path "/dinosaurs", to the rules"#),
        (.child("a/b"), #"Index not defined, add ".indexOn": "a/b", for path "/dinosaurs", to the rules"#),
        (.value, #"Index not defined, add ".indexOn": ".value", for path "/dinosaurs", to the rules"#),
        (
            .children(["height", "dimensions/length"]),
            #"Index not defined, add ".indexOn": [["height","dimensions/length"]], for path "/dinosaurs", to the rules"#
        ),
    ]

    @Test("without an index, the error names the rule to add", arguments: missingIndexes)
    func missingIndex(order: TreeQuery.Order, message: String) async throws {
        try await withDinosaurs { store in
            let query = try TreeQuery(order: order)
            let error = await expectCode(.indexNotDefined) {
                try await store.snapshot { _ = try $0.json(of: "dinosaurs", matching: query) }
            }
            #expect(error?.message == message)
        }
    }

    @Test("the literal child's rules take precedence over the wildcard's")
    func precedence() async throws {
        try await withEngine(.memory) { engine in
            let store = try await TreeStore(engine: engine, isMaintained: false)
            try await store.setRules(#"{ "rules": { "$any": { ".indexOn": "a" }, "x": { ".indexOn": "b" } } }"#)
            try await store.finishMaintenance()
            let (byA, byB) = (try TreeQuery(order: .child("a")), try TreeQuery(order: .child("b")))
            try await store.snapshot { snapshot throws in
                #expect(try snapshot.count(of: "y", matching: byA) == 0)
                #expect(try snapshot.count(of: "x", matching: byB) == 0)
                #expect(throws: TreeError.self) { _ = try snapshot.count(of: "x", matching: byA) }
                #expect(throws: TreeError.self) { _ = try snapshot.count(of: "y", matching: byB) }
            }
        }
    }

    static let texts: [(limit: TreeQuery.Limit?, isDescending: Bool, form: JSONForm, json: String)] = [
        (.last(2), false, .plain, "[null,null,{\"a\":[1]},3]"),
        (.last(2), true, .plain, "{\"3\":3,\"2\":{\"a\":[1]}}"),
        (.last(2), false, .export, #"{"2":{".priority":"p","a":{"0":1}},"3":{".value":3,".priority":4}}"#),
        (.last(2), true, .export, #"{"3":{".value":3,".priority":4},"2":{".priority":"p","a":{"0":1}}}"#),
        (.first(1), false, .plain, "[1]"),
        (nil, false, .plain, "[1,2,{\"a\":[1]},3]"),
    ]

    @Test(
        "the answer is an object, or an array where the keys allow it, without the node's own priority",
        arguments: texts)
    func text(limit: TreeQuery.Limit?, isDescending: Bool, form: JSONForm, json: String) async throws {
        try await withStore(.memory) { store in
            let list = #"{".priority":9,"0":1,"1":2,"2":{".priority":"p","a":[1]},"3":{".value":3,".priority":4}}"#
            _ = try await store.update(try JSONUpdate(.value, at: "list", json: list.utf8))
            let query = try TreeQuery(order: .key, limit: limit, isDescending: isDescending)
            let text = try await store.snapshot { try $0.json(of: "list", matching: query, form) }
            #expect(String(decoding: text, as: UTF8.self) == json)
        }
    }

    @Test("only a query without bounds and limit returns a leaf, and a missing node has no result")
    func leaves() async throws {
        try await withStore(.memory) { store in
            try await store.set("leaf", to: "text")
            let (all, some) = (try TreeQuery(order: .key), try TreeQuery(order: .key, limit: .first(1)))
            try await store.snapshot { snapshot throws in
                #expect(try snapshot.json(of: "leaf", matching: all) == Array("\"text\"".utf8))
                #expect(try snapshot.json(of: "leaf", matching: some) == Array("null".utf8))
                #expect(try snapshot.json(of: "nothing", matching: all) == Array("null".utf8))
                #expect(try snapshot.count(of: "leaf", matching: all) == 0)
                #expect(try snapshot.window(of: "leaf", matching: all).leafJSON() == Array("\"text\"".utf8))
                #expect(try snapshot.window(of: "leaf", matching: some).leafJSON() == nil)
            }
        }
    }

    @Test("windows are equal if their children are, including priorities")
    func windows() async throws {
        try await withDinosaurs { store in
            let query = try TreeQuery(order: .child("height"), limit: .last(2), isDescending: true)
            func window() async throws -> QueryWindow {
                try await store.snapshot { try $0.window(of: "dinosaurs", matching: query) }
            }
            let before = try await window()
            #expect(before.children.map(\.key) == ["12", "pterodactyl"])
            #expect(try before.children[0].json() == Array(#"{"height":{"metres":3}}"#.utf8))
            #expect(try before.children[1].json(.export) == Array(#"{".priority":1,"height":"0.6"}"#.utf8))
            try await store.set("dinosaurs/nine", to: "another")
            #expect(try await window() == before)
            _ = try await store.update(try JSONUpdate(.priority, at: "dinosaurs/12", json: "5".utf8))
            #expect(try await window() != before)
        }
    }

    @Test(
        "strings are compared by their first 1,024 bytes", arguments: ["x", "é", "\u{10400}"])
    func longStrings(character: String) async throws {
        try await withEngine(.memory) { engine in
            let store = try await TreeStore(engine: engine, isMaintained: false)
            try await store.setRules(#"{ "rules": { "list": { ".indexOn": ".value" } } }"#)
            let long = String(repeating: character, count: 2000)
            try await store.set(
                "list", to: ["a": .string(long + "2"), "b": .string(long + "1"), "c": .string("a" + long)])
            try await store.finishMaintenance()
            let query = try TreeQuery(order: .value, equalTo: .init(.string(long + "3")))
            try await store.snapshot { snapshot throws in
                #expect(try snapshot.children(of: "list", matching: query).map(\.key) == ["a", "b"])
            }
        }
    }

    @Test("large answers are returned in pieces", arguments: [false, true])
    func draining(isDescending: Bool) async throws {
        try await withStore(.memory) { store in
            var list: [TreeKey: TreeValue] = [:]
            for key in ["a", "b", "c"] as [TreeKey] { list[key] = .string(String(repeating: "x", count: 1 << 20)) }
            try await store.set("list", to: .object(list))
            let query = try TreeQuery(order: .key, isDescending: isDescending)
            let (pieces, whole) = try await store.snapshot { snapshot throws in
                var pieces: [[UInt8]] = []
                let last = try snapshot.json(of: "list", matching: query) { piece throws(TreeError) in
                    pieces.append(piece)
                }
                return (pieces + [last], try snapshot.json(of: "list", matching: query))
            }
            #expect(pieces.count > 2 && Array(pieces.joined()) == whole)
        }
    }
}
