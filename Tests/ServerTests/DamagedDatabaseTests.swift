import Client
import HTTPTypes
import Service
import Store
import TestSupport
import Testing
import Uploads

@testable import Tree

@Suite("A damaged database is reported and accepts no writes", .timeLimit(.minutes(20)))
struct DamagedDatabaseTests {
    @Test("A malformed row is named to the operator, whichever operation meets it, and all other work continues")
    func malformedRow() async throws {
        try await withService { service in
            _ = try await service.client.post("before")
            try await service.tree.engine.write { transaction throws(TreeError) in
                try transaction.put([9], for: StoreFormat.dataKey("bad"))
            }
            let read = try await service.client.get("/bad.json")
            #expect(read.status == 503)
            await service.tree.health.waitForDamagedRows(beyond: 0)

            #expect(try await service.client.get("/readyz").status == 200)
            let status = try await service.client.get("/v1/status").json
            #expect(status["intake"]["status"].string == "ready" && status["sweeps"]["status"].string == "held")
            #expect(status["sweeps"]["code"].string == "corrupt")
            #expect(status["sweeps"]["message"].string?.contains("/bad") == true)
            #expect(status["sweeps"]["hint"].string?.contains("tintype store repair --row '/bad' --drop") == true)
            let audit = try await service.client.ask(.post, "/v1/audit?action=check")
            #expect(audit.text.contains(#""tree_damaged""#) && audit.text.contains(#""/bad""#), "\(audit.text)")
            _ = try await service.client.post("after")
            let list = try await service.client.get("/v1/posts")
            #expect(list.status == 200 && list.json["posts"][0]["text"].string == "after")
        }
    }

    @Test("Damage without a known row: unready with the reason, writes refused, good rows served")
    func damagedStore() async throws {
        try await withService { service in
            _ = try await service.client.post("before")
            try await service.tree.engine.write { transaction throws(TreeError) in
                try transaction.put([1], for: [0x7F, 1])
            }
            #expect(try await service.client.get("/readyz").status == 200)
            try? await service.tree.healthCheck.round()
            await service.tree.health.waitForDamage()
            await service.pipeline.disk.gate.waitUntilPaused()

            let readiness = try await service.client.get("/readyz")
            #expect(readiness.status == 503 && readiness.json["code"].string == "corrupt")
            #expect(readiness.json["message"].string == "the database is damaged")
            #expect(try await service.client.get("/v1/status").json["intake"]["code"].string == "corrupt")
            #expect(try await service.client.get("/healthz").status == 200, "it lives")

            let upload = try await service.client.ask(.post, "/v1/uploads?user=maria&text=new")
            #expect(upload.status == 503 && upload.json["code"].string == "intake_paused")
            let write = try await service.client.ask(.put, "/good.json", body: .bytes(Array("1".utf8)))
            #expect(write.status == 503 && write.json["error"].string?.contains("damaged") == true)
            let list = try await service.client.get("/v1/posts")
            #expect(list.status == 200 && list.json["posts"][0]["text"].string == "before")
        }
    }

    @Test("Unreadable rules: unready with the reason, uploads refused, named by an audit")
    func unreadableRules() async throws {
        try await withService { service in
            try await service.tree.setRules(Self.rules)
            try await service.tree.engine.write { transaction throws(TreeError) in
                let catalog = RulesCatalog.key(of: .main)
                var row = try transaction.value(for: catalog) ?? []
                row[7] += 1  // The version, so that cached rules are not used.
                try transaction.put(row, for: catalog)
                try transaction.put(Array("{\"rules\": {".utf8), for: TreeRules.textKey(of: .main))
            }
            let gate = service.pipeline.disk.gate
            await gate.waitUntilPaused()
            let readiness = try await service.client.get("/readyz")
            #expect(readiness.status == 503 && readiness.json["code"].string == "rules_unreadable")
            let upload = try await service.client.ask(.post, "/v1/uploads?user=maria&text=new")
            #expect(upload.status == 503 && upload.json["code"].string == "intake_paused")
            #expect(upload.text.contains("rules"), "\(upload.text)")
            let write = try await service.client.ask(.put, "/good.json", body: .bytes(Array("1".utf8)))
            #expect(write.status == 503 && write.json["error"].string?.contains("tintype rules set") == true)
            for action in ["action=check", "action=repair&change=true"] {
                let audit = try await service.client.ask(.post, "/v1/audit?\(action)")
                #expect(audit.status == 200 && audit.text.contains(#""rules_unreadable""#), "\(audit.text)")
            }

            try await service.tree.setRules(Self.rules)
            await gate.waitUntilOpen()
            #expect(try await service.client.get("/readyz").status == 200)
            _ = try await service.client.post("after")
        }
    }

    private static let rules = #"{"rules": {".read": true, ".write": true}}"#
}
