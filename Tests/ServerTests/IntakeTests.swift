import Client
import Files
import HTTPTypes
import Model
import NIOCore
import Service
import Store
import TestSupport
import Testing
import Uploads

@Suite("A service that cannot write reports it, and accepts no uploads", .timeLimit(.minutes(20)))
struct IntakeTests {
    private static let uploads: [(HTTPRequest.Method, String)] = [
        (.post, "/v1/uploads?user=maria"), (.put, "/v1/uploads?user=maria"),
        (.post, "/v1/uploads?user=maria&draft=true"),
    ]

    @Test(
        "With too little room, uploads and photos of drafts get 507 before their bytes; other requests succeed")
    func lowSpace() async throws {
        let photo = try fixture("size-97x61.jpg")
        try await withService(change: { $0.freeSpaceReserve = FreeSpaceReserve(bytes: .max / 2) }) { service in
            try await eventually { service.pipeline.disk.gate.pause != nil }
            let readiness = try await service.client.get("/readyz")
            #expect(readiness.status == 503 && readiness.json["status"].string == "paused")
            #expect(readiness.json["code"].string == "disk_full" && readiness.json["since"].int ?? 0 > 0)
            #expect(readiness.json["message"].string?.contains("iB have to be") == true)
            #expect(readiness.headers[.retryAfter] != nil)
            for (method, path) in Self.uploads {
                let answer = try await service.client.ask(method, path, body: .bytes(photo))
                #expect(answer.status == 507 && answer.json["code"].string == "disk_full", "\(method) \(path)")
                #expect(answer.headers[.retryAfter] != nil)
            }
            let id = "-P6xJd7DkF0an8Cy0qLh"
            let draft = try await service.client.ask(.post, "/v1/uploads/\(id)/photos", body: .bytes(photo))
            #expect(draft.status == 507)
            #expect(try await service.client.get("/healthz").status == 200, "it lives")
            #expect(try await service.client.get("/v1/posts").status == 200, "it reads")
            let put = try await service.client.ask(.put, "/notes.json", body: .bytes(Array("1".utf8)))
            #expect(put.status == 200, "what is small is written")
            let status = try await service.client.get("/v1/status").json
            #expect(status["intake"]["code"].string == "disk_full")
            #expect(status["free_space"]["bytes"].int ?? 0 > 0 && status["uploads"]["reserved"].int == 0)
        }
    }

    @Test("A client that sends Expect does not get 100 Continue")
    func expectContinue() async throws {
        try await withService(change: { $0.freeSpaceReserve = FreeSpaceReserve(bytes: .max / 2) }) { service in
            try await eventually { service.pipeline.disk.gate.pause != nil }
            let connection = try await WireConnection(socket: service.socketPath)
            try await connection.send(
                "PUT /v1/uploads?user=maria HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000000\r\n"
                    + "Expect: 100-continue\r\n\r\n")
            let head = await connection.read(through: "\r\n")
            #expect(head == "HTTP/1.1 507 Insufficient Storage\r\n")
            await connection.close()
        }
    }

    @Test("A broken disk causes 503 with the reason, until it is whole", .enabled(if: Obstacle.isPossible))
    func brokenDisk() async throws {
        let photo = try fixture("size-97x61.jpg")
        try await withService { service in
            let ready = try await service.client.get("/readyz")
            #expect(ready.status == 200 && ready.json == .object(["status": .string("ready")]))
            let folder = "\(service.scratch.path)/Storage/failed"
            defer { Obstacle.open(folder) }
            #expect(Obstacle.close(folder))
            service.pipeline.disk.notice(FileError(.io, "a read failed"))
            try await eventually { service.pipeline.disk.gate.pause != nil }
            #expect(try await service.client.get("/readyz").json["code"].string == "permission")
            let refused = try await service.client.ask(.post, "/v1/uploads?user=maria", body: .bytes(photo))
            #expect(refused.status == 503 && refused.json["code"].string == "intake_paused")
            #expect(refused.json["detail"].string?.contains("permission") == true)
            #expect(refused.text.contains("Storage/failed") == false, "files are not named to strangers")
            Obstacle.open(folder)
            try await eventually { try await service.client.get("/readyz").status == 200 }
            let answer = try await service.client.ask(.post, "/v1/uploads?user=maria", body: .bytes(photo))
            #expect(answer.status == 201)
        }
    }
}
