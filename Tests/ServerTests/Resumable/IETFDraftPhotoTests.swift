import API
import Client
import Cryptography
import Foundation
import HTTPTypes
import Model
import Service
import Store
import TestSupport
import Testing
import TreeModel
import Uploads

@Suite(
    "Photos of a draft by Resumable Uploads for HTTP, as background sessions of iOS send them", .timeLimit(.minutes(20))
)
struct IETFDraftPhotoTests {
    private func reserve(_ service: Service) async throws -> String {
        try await service.client.ask(.post, "/v1/uploads?user=maria&draft=true").json["upload_id"].string ?? ""
    }

    private func fields(_ key: String) -> HTTPFields {
        [
            .named("upload-complete"): "?1", .named("upload-draft-interop-version"): "6",
            .named("idempotency-key"): key,
        ]
    }

    @Test("A disconnected client gets its address before the body, continues, and adds the photo once")
    func resumed() async throws {
        let bytes = try fixture("baseline-420.jpg")
        try await withService { service in
            let draft = try await reserve(service)
            let path = try await WireConnection.with(socket: service.socketPath) { connection in
                try await connection.send(
                    "POST /v1/uploads/\(draft)/photos?name=Lake.jpg&alt=A+lake HTTP/1.1\r\nHost: localhost\r\n"
                        + "Upload-Complete: ?1\r\nUpload-Draft-Interop-Version: 6\r\nIdempotency-Key: k\r\n"
                        + "Content-Length: \(bytes.count)\r\n\r\n")
                let interim = try #require(await connection.answer())
                #expect(interim.status == 104)
                let location = try #require(interim.headers[.location])
                let start = try #require(location.range(of: "/v1/"))
                let path = String(location[start.lowerBound...])
                try await connection.send(bytes[..<1000])
                try await eventually { service.scratch.exists("Storage/incoming/\(path.dropFirst(12)).partial") }
                return path
            }
            var headers = fields("k")
            let head = try await service.client.ask(.head, path, headers: headers)
            let offset = try #require(head.headers[.named("upload-offset")].flatMap { Int($0) })
            headers[.named("upload-offset")] = "\(offset)"
            headers[.contentType] = "application/partial-upload"
            let last = try await service.client.ask(
                .patch, path, headers: headers, body: .bytes(Array(bytes[offset...])))
            #expect(last.status == 201 && last.json["upload_id"].string == draft, "\(last.text)")
            #expect(last.headers[.named("upload-complete")] == "?1")
            // The answer was lost: the photo is sent again with its key, whole.
            let again = try await service.client.ask(
                .post, "/v1/uploads/\(draft)/photos?name=Lake.jpg&alt=A+lake", headers: fields("k"),
                body: .bytes(bytes))
            #expect(again.status == 201 && again.json["upload_id"].string == draft, "\(again.text)")
            let photos = try await service.client.get("/v1/uploads/\(draft)").json["photos"].array
            #expect(photos.map { $0["sha256"].string } == [sha256(of: bytes)])
            #expect(photos.first?["original_name"].string == "Lake.jpg" && photos.first?["alt"].string == "A lake")
        }
    }

    @Test("Photos that were begun by tus keep their order, whichever arrives first, and none of their bytes is lost")
    func order() async throws {
        let photos = [
            try fixture("baseline-420.jpg"), try fixture("progressive-420.jpg"), try fixture("size-97x61.jpg"),
        ]
        try await withService { service in
            let draft = try await reserve(service)
            let tus = TusClient(client: service.client, path: "/v1/uploads/\(draft)/photos")
            var paths: [String] = []
            for (number, bytes) in photos.enumerated() {
                let begun = try await tus.create([
                    "upload-length": "\(bytes.count)", "idempotency-key": "k\(number)",
                    "upload-metadata": TusClient.metadata(["filename": "\(number).jpg"]),
                ])
                paths.append(try #require(begun.headers[.location]))
            }
            func send(_ number: Int, name: String? = nil) async throws -> Answer {
                try await service.client.ask(
                    .post, "/v1/uploads/\(draft)/photos?name=\(name ?? "\(number)").jpg", headers: fields("k\(number)"),
                    body: .bytes(photos[number]))
            }
            #expect(try await send(1, name: "other").json["code"].string == "key_reused")
            #expect(try await send(2).status == 201)
            #expect(try await send(0).status == 201)
            // A photo of which bytes have arrived is sent again from its first byte, at its address and in its place.
            #expect(try await tus.patch(paths[1], from: 0, Array(photos[1][..<10])).status == 204)
            #expect(try await send(1).status == 201)
            #expect(try await tus.send(.head, paths[1]).headers[.named("upload-offset")] == "\(photos[1].count)")
            #expect(try await send(1).status == 201)
            let added = try await service.client.get("/v1/uploads/\(draft)").json["photos"].array
            #expect(added.map { $0["sha256"].string } == photos.map { sha256(of: $0) })
        }
    }

    @Test("A photo that was begun by this protocol is the same by tus, also when the draft can have no further one")
    func otherProtocol() async throws {
        let bytes = try fixture("size-1x1.jpg")
        try await withService { service in
            let draft = try await reserve(service)
            let tus = TusClient(client: service.client, path: "/v1/uploads/\(draft)/photos")
            for number in 0..<20 {
                let answer = try await service.client.ask(
                    .post, "/v1/uploads/\(draft)/photos?name=\(number).jpg", headers: fields("k\(number)"),
                    body: .bytes(bytes))
                #expect(answer.status == 201, "\(answer.text)")
            }
            let again = try await tus.create([
                "upload-length": "\(bytes.count)", "idempotency-key": "k19",
                "upload-metadata": TusClient.metadata(["filename": "19.jpg"]),
            ])
            #expect(again.status == 201 && again.headers[.named("upload-offset")] == "\(bytes.count)", "\(again.text)")
            let beyond = try await service.client.ask(
                .post, "/v1/uploads/\(draft)/photos", headers: fields("k20"), body: .bytes(bytes))
            #expect(beyond.json["code"].string == "too_many_photos")
        }
    }

    @Test("A file that is not a photo, and a photo of no draft, are refused")
    func refusals() async throws {
        let cut = try fixture("truncated-baseline-420.jpg")
        try await withService { service in
            let draft = try await reserve(service)
            for (bytes, status) in [(cut, 422), (Array("no photo!".utf8), 415)] {
                let answer = try await service.client.ask(
                    .post, "/v1/uploads/\(draft)/photos", headers: fields("k\(status)"), body: .bytes(bytes))
                #expect(answer.status == status && answer.headers[.named("upload-complete")] == "?1", "\(answer.text)")
            }
            let state = try await service.client.get("/v1/uploads/\(draft)").json
            #expect(state["state"].string == "draft" && state["photos"] == .null)
            for (draft, status) in [("-P6xJd7DkF0an8Cy0qLh", 404), (draft, 409)] {
                if status == 409 {
                    _ = try await service.client.ask(.post, "/v1/uploads/\(draft)/publish?text=without")
                }
                let answer = try await service.client.ask(
                    .post, "/v1/uploads/\(draft)/photos", headers: fields("x"), body: .bytes(cut))
                #expect(answer.status == status, "\(answer.text)")
            }
        }
    }

    @Test("A draft that has expired is gone, so that its sender begins again")
    func expired() async throws {
        let bytes = try fixture("size-1x1.jpg")
        try await withService { service in
            let draft = try await reserve(service)
            let path = "/v1/uploads/\(draft)/photos"
            _ = try await service.client.ask(.post, path, headers: fields("k"), body: .bytes(bytes))
            try await service.pipeline.store.expire(try #require(PostID(draft)), from: .draft)
            let answers = [
                try await service.client.ask(.post, path, headers: fields("l"), body: .bytes(bytes)),
                try await service.client.ask(.post, path, body: .bytes(bytes)),
                try await service.client.ask(.post, "/v1/uploads/\(draft)/publish"),
            ]
            for answer in answers { #expect(answer.json["code"].string == "upload_expired", "\(answer.text)") }
        }
    }

    @Test("A photo with a key is added once, also without the fields of the protocol, and counts once for the quota")
    func keyAlone() async throws {
        let bytes = try fixture("baseline-420.jpg")
        try await withService { service in
            _ = try await service.client.ask(
                .put, "/v1/usage/maria/quota", headers: [.contentType: "application/json"],
                body: .bytes(Array(#"{"quota": \#(bytes.count + 1)}"#.utf8)))
            let draft = try await reserve(service)
            let tus = TusClient(client: service.client, path: "/v1/uploads/\(draft)/photos")
            let begun = try await tus.create([
                "upload-length": "\(bytes.count)", "idempotency-key": "k",
                "upload-metadata": TusClient.metadata(["filename": "a.jpg"]),
            ])
            #expect(begun.status == 201, "\(begun.text)")
            for _ in 0..<2 {
                let answer = try await service.client.ask(
                    .post, "/v1/uploads/\(draft)/photos?name=a.jpg", headers: [.named("idempotency-key"): "k"],
                    body: .bytes(bytes))
                #expect(answer.status == 201, "\(answer.text)")
            }
            let photos = try await service.client.get("/v1/uploads/\(draft)").json["photos"].array
            #expect(photos.map { $0["sha256"].string } == [sha256(of: bytes)])
        }
    }

    @Test("One of two photos that replace a failed one under its key is added")
    func replacements() async throws {
        let bytes = try fixture("size-1x1.jpg")
        try await withService { service in
            let draft = try await reserve(service)
            let path = "/v1/uploads/\(draft)/photos"
            let failed = try await service.client.ask(
                .post, path, headers: fields("k"), body: .bytes(Array("no photo".utf8)))
            #expect(failed.status == 415)
            let tus = TusClient(client: service.client, path: path)
            var paths: [String] = []
            for _ in 0..<2 {
                let begun = try await tus.create(["upload-length": "\(bytes.count)", "idempotency-key": "k"])
                paths.append(try #require(begun.headers[.location], "\(begun.text)"))
            }
            #expect(try await tus.patch(paths[0], from: 0, bytes).status == 204)
            let second = try await tus.patch(paths[1], from: 0, bytes)
            #expect(paths[0] == paths[1] ? second.status == 409 : second.json["code"].string == "key_reused")
            #expect(try await service.client.get("/v1/uploads/\(draft)").json["photos"].array.count == 1)
        }
    }
}
