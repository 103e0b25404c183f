import Access
import Client
import Database
import HTTPTypes
import Server
import TestSupport
import Testing
import Tree

extension ChangeTests {
    @Test("The change log shows clients under rules no deleted data, which they may never have been allowed to read")
    func formerValues() async throws {
        try await withService { service in
            try await service.tree.setRules(#"{"rules": {"$a": {".read": "root.child('open').val() === true"}}}"#)
            try await service.tree.set("open", to: true)
            let start = try await service.tree.token
            try await service.tree.set("notes/a", to: ["text": "secret", "kind": "x"])
            try await service.tree.set("notes/b/text", to: "secret")
            try await service.tree.set("notes/a/text", to: "known")
            try await service.tree.set("notes/b", to: nil)
            try await service.tree.set("notes/c", to: "known")
            let path = "/v1/changes?since=\(start)&path=/notes"
            let noah = try service.headers(of: "noah")
            #expect(try await service.client.get(path).text.contains("secret"), "its owner is told what was written")
            for query in [path, path + "&format=export"] {
                let answer = try await service.tcpClient.get(query, headers: noah)
                #expect(answer.status == 200 && !answer.text.contains("secret"), "\(answer.text)")
                let values = answer.json["changes"].array.map { $0["writes"][0] }
                #expect(
                    values.map { $0["path"].string } == [
                        "/notes/a", "/notes/b/text", "/notes/a/text", "/notes/b", "/notes/c",
                    ])
            }
            let now = try await service.tcpClient.get(path, headers: noah).json["changes"].array
                .map { $0["writes"][0]["value"] }
            #expect(
                now == [
                    .object(["text": .string("known"), "kind": .string("x")]), .null, .string("known"), .null,
                    .string("known"),
                ])
        }
    }

    @Test("A client admitted after its token, or one that requests the oldest, must read again, on a stream, too")
    func letIn() async throws {
        try await withService { service in
            try await service.tree.setRules(#"{"rules": {"$a": {".read": "root.child('open').val() === true"}}}"#)
            let start = try await service.tree.token
            try await service.tree.set("notes/b", to: "secret")
            try await service.tree.set("notes/b", to: nil)
            let noah = try service.headers(of: "noah")
            #expect(
                try await service.tcpClient.get("/v1/changes?since=\(start)&path=/notes", headers: noah).status == 401)
            let opened = try await service.tree.set("open", to: true)
            try await service.tree.set("notes/c", to: "known")
            for since in ["\(start)", "oldest"] {
                let path = "/v1/changes?since=\(since)&path=/notes"
                let answer = try await service.tcpClient.get(path, headers: noah)
                #expect(answer.status == 410 && answer.json["code"].string == "resnapshot", "\(answer.text)")
                var headers = noah
                headers[.accept] = "text/event-stream"
                let events = try await service.tcpClient.get(path, headers: headers)
                #expect(events.text == "event: resnapshot\ndata: null\n\n")
            }
            let answer = try await service.tcpClient.get("/v1/changes?since=\(opened)&path=/notes", headers: noah)
            #expect(
                answer.json["changes"].array.map { $0["writes"][0]["path"].string } == ["/notes/c"], "\(answer.text)")
        }
    }
}
