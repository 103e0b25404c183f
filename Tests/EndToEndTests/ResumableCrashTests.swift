import Client
import Cryptography
import Files
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("A service that is killed while a photo arrives in pieces", .timeLimit(.minutes(20)))
struct ResumableCrashTests {
    private static let size = 20_000

    /// Sends the missing bytes in pieces, by tus.
    ///
    /// - Returns: Whether all bytes were accepted. Acknowledged bytes are noted as they are reported.
    private func send(
        _ photo: [UInt8], to path: String, _ daemon: Daemon, acknowledged: inout Int
    ) async throws -> Bool {
        var offset = acknowledged
        while offset < photo.count {
            let piece = Array(photo[offset..<min(offset + Self.size, photo.count)])
            let headers = try headers([
                "Upload-Offset": "\(offset)", "Content-Type": "application/offset+octet-stream",
            ])
            guard let answer = try? await daemon.client.ask(.patch, path, headers: headers, body: .bytes(piece)) else {
                return false
            }
            #expect(answer.status == 204, "\(answer.text)")
            offset += piece.count
            acknowledged = offset
        }
        return true
    }

    private func headers(_ fields: [String: String]) throws -> HTTPFields {
        var headers = HTTPFields()
        for (name, value) in fields.merging(["Tus-Resumable": "1.0.0"], uniquingKeysWith: { $1 }) {
            headers[try #require(HTTPField.Name(name))] = value
        }
        return headers
    }

    private static let points = [
        "before-create:.partial=crash@1", "after-create:.partial=crash@1", "before-write:.partial=crash@3",
        "before-fsync:.partial=crash@2", "after-fsync:.partial=crash@2", "before-step:file-checkpoint=crash@2",
        "after-step:file-checkpoint=crash@2", "before-reply:PATCH=crash@2", "before-rename:/original.=crash@1",
        "after-rename:/original.=crash@1", "before-step:receiving-ingested=crash@1",
        "after-step:receiving-ingested=crash@1", "before-reply:PATCH=crash@5",
    ]

    @Test("After a kill at any point, acknowledged bytes are kept, and the rest completes one post", arguments: points)
    func crash(point: String) async throws {
        try await withScratch { scratch in
            let photo = try Fixture.bytes("photo.jpg")
            let storage = scratch.path + "/Storage"
            let dying = try await Daemon(storage: storage, environment: ["TINTYPE_FAILPOINTS": point])
            let created = try await dying.client.ask(
                .post, "/v1/uploads?user=maria", headers: try headers(["Upload-Length": "\(photo.count)"]))
            let path = try #require(created.headers[.location])
            var acknowledged = 0
            #expect(try await !send(photo, to: path, dying, acknowledged: &acknowledged), "\(point) is passed")
            try await dying.untilEnd()

            let daemon = try await Daemon(storage: storage)
            let standing = try await daemon.client.ask(.head, path, headers: try headers([:]))
            let name = try #require(HTTPField.Name("Upload-Offset"))
            let offset = try #require(standing.headers[name].flatMap { Int($0) }, "\(standing.status)")
            #expect(offset >= acknowledged)
            acknowledged = offset
            #expect(try await send(photo, to: path, daemon, acknowledged: &acknowledged))
            try await eventually { try await daemon.get(path).json["state"].string == "published" }
            #expect(try await daemon.get(path).json["photos"][0]["sha256"].string == sha256(of: photo))
            #expect(try await daemon.get("/v1/posts").json["posts"].array.count == 1)
            try await eventually {
                try FileManager.default.contentsOfDirectory(atPath: storage + "/incoming").isEmpty
            }
            try await daemon.stop()
        }
    }
}
