import Access
import Client
import Foundation
import HTTPTypes
import Imaging
import Rules
import Server
import TestSupport
import Testing
import Tree

@Suite("An original is served without its place, unless its owner requests otherwise", .timeLimit(.minutes(20)))
struct OriginalTests {
    /// Photos with a place: one whose length stays, one that becomes shorter, and three that have their place outside
    /// of EXIF.
    static let files = ["exif-gps.jpg", "places/gps.heic", "places/gps-ii.jpg", "places/xmp.jpg", "places/iptc.png"]

    /// Runs a body with a service in which maria has posted a photo, and with the post's id and the original's path.
    private func withOriginal<R: Sendable>(
        _ bytes: [UInt8], _ body: @Sendable (Service, _ id: String, _ path: String) async throws -> R
    ) async throws -> R {
        try await withService { service in
            try await service.tree.setRules(#"{"rules": {"posts": {".read": true}}}"#)
            let post = try await service.client.post(bytes)
            let id = try #require(post["post_id"].string)
            let listed = try await service.client.get("/v1/posts/\(id)/originals")
            let path = try #require(listed.json["urls"][0].string?.split(separator: "?").first)
            return try await body(service, id, String(path))
        }
    }

    @Test("Its owner, an admin and holders of a signed address get it without its place", arguments: files)
    func scrubbed(file: String) async throws {
        let bytes = try fixture(file)
        let expected = try LocationScrubber.scrub(bytes).bytes
        #expect(expected != bytes)
        try await withOriginal(bytes) { service, id, path in
            let maria = try service.headers(of: "maria")
            let signed = try await service.tcpClient.get("/v1/posts/\(id)/originals", headers: maria)
            let address = try #require(signed.json["urls"][0].string)
            for answer in [
                try await service.client.get(path), try await service.tcpClient.get(path, headers: maria),
                try await service.tcpClient.get(address), try await service.tcpClient.get(address + "&location=remove"),
            ] {
                #expect(answer.status == 200)
                #expect(answer.body == expected)
                #expect(answer.headers[.contentLength] == "\(expected.count)")
                #expect(answer.headers[.cacheControl] == "private, no-store")
            }
            let head = try await service.client.ask(.head, path)
            #expect(head.headers[.contentLength] == "\(expected.count)" && head.body.isEmpty)
            #expect(try await service.tcpClient.get(path).status == 404)
        }
    }

    @Test("The stored bytes are for its owner and admins, and for holders of their signed address", arguments: files)
    func kept(file: String) async throws {
        let bytes = try fixture(file)
        try await withOriginal(bytes) { service, id, path in
            let (maria, noah) = (try service.headers(of: "maria"), try service.headers(of: "noah"))
            let tcp = service.tcpClient
            let list = "/v1/posts/\(id)/originals?location=keep"
            let signed = try await tcp.get(list, headers: maria)
            let address = try #require(signed.json["urls"][0].string)
            #expect(address.hasPrefix(path + "?location=keep&token="))
            let local = try await service.client.get(list).json["urls"][0].string
            for answer in [
                try await service.client.get(path + "?location=keep"), try await tcp.get(try #require(local)),
                try await tcp.get(path + "?location=keep", headers: maria), try await tcp.get(address),
            ] {
                #expect(answer.status == 200 && answer.body == bytes)
                #expect(answer.headers[.cacheControl] == "private, no-store")
            }
            for answer in [
                try await tcp.get(list), try await tcp.get(list, headers: noah),
                try await tcp.get(list.replacing("keep", with: "remove"), headers: noah),
            ] {
                #expect(answer.status == 403 && answer.json["code"].string == "not_allowed", "\(answer.text)")
            }
            // A signature is valid only for the address that was signed.
            let plain = try await tcp.get("/v1/posts/\(id)/originals", headers: maria).json["urls"][0].string ?? ""
            for guess in [
                plain + "&location=keep", plain.replacing("?", with: "?location=keep&"),
                address.replacing("location=keep&", with: ""), address.replacing("location", with: "Location"),
            ] {
                #expect(try await tcp.get(guess).status == 404, "\(guess)")
            }
            #expect(try await tcp.get(path + "?location=keep", headers: noah).status == 404)
            for address in [path + "?location=Keep", path + "?location=", list + "s"] {
                let answer = try await service.client.get(address)
                #expect(answer.status == 400 && answer.json["code"].string == "bad_request", "\(address)")
            }
        }
    }

    @Test("Rules that open originals to all readers open them without the place")
    func openRules() async throws {
        let bytes = try fixture("places/gps-ii.jpg")
        let rules = "service firebase.storage { match /b/{b}/o { match /{all=**} { allow get; } } }"
        try await withOriginal(bytes) { service, id, path in
            let set = try await service.client.ask(.put, "/v1/storage-rules", body: .bytes(Array(rules.utf8)))
            #expect(set.status == 200, "\(set.text)")
            let tcp = service.tcpClient
            let noah = try service.headers(of: "noah")
            let expected = try LocationScrubber.scrub(bytes).bytes
            #expect(try await tcp.get(path).body == expected)
            #expect(try await tcp.get(path, headers: noah).body == expected)
            for answer in [
                try await tcp.get(path + "?location=keep"), try await tcp.get(path + "?location=keep", headers: noah),
                try await tcp.get("/v1/posts/\(id)/originals?location=keep", headers: noah),
            ] {
                #expect(answer.status == 403 && answer.json["code"].string == "not_allowed", "\(answer.text)")
            }
            let own = try await tcp.get(path + "?location=keep", headers: try service.headers(of: "maria"))
            #expect(own.body == bytes)
        }
    }

    @Test("Parts and entity tags are those of the bytes without the place", arguments: files)
    func parts(file: String) async throws {
        let bytes = try fixture(file)
        let expected = try LocationScrubber.scrub(bytes).bytes
        let first = try #require(zip(expected, bytes).enumerated().first { $0.element.0 != $0.element.1 }).offset
        try await withOriginal(bytes) { service, _, path in
            let client = service.client
            let tag = try await client.get(path).headers[.eTag] ?? ""
            let stored = try await client.get(path + "?location=keep").headers[.eTag] ?? ""
            #expect(tag != stored && tag.hasPrefix("\"original"))
            let count = expected.count
            let ranges = [
                0..<count, max(0, first - 5)..<min(count, first + 50), first..<first + 1, count - 1..<count,
                first..<count, 0..<first + 1,
            ]
            for range in ranges {
                let headers: HTTPFields = [
                    .range: "bytes=\(range.lowerBound)-\(range.upperBound - 1)", .ifRange: tag,
                ]
                let answer = try await client.get(path, headers: headers)
                #expect(answer.status == 206 && answer.body == Array(expected[range]), "\(range)")
                #expect(
                    answer.headers[.contentRange] == "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(count)")
                #expect(answer.headers[.eTag] == tag, "the same each time")
            }
            #expect(try await client.get(path, headers: [.range: "bytes=\(count)-"]).status == 416)
            #expect(try await client.get(path, headers: [.range: "bytes=0-1", .ifRange: stored]).body == expected)
            #expect(try await client.get(path, headers: [.ifNoneMatch: tag]).status == 304)
            #expect(try await client.get(path, headers: [.ifNoneMatch: stored]).status == 200)
        }
    }

    @Test("A photo without a place is served as it is stored, under the same tag")
    func nothingToRemove() async throws {
        let bytes = try fixture("places/kept-xmp.jpg")
        try await withOriginal(bytes) { service, _, path in
            let (answer, stored) = (
                try await service.client.get(path), try await service.client.get(path + "?location=keep")
            )
            #expect(answer.body == bytes && stored.body == bytes)
            #expect(answer.headers[.eTag] == stored.headers[.eTag])
        }
    }

    @Test("A file that cannot be parsed is not served, except to its owner as it is stored")
    func hostile() async throws {
        let photo = try fixture("places/gps-ii.jpg")
        let files: [(name: String, bytes: [UInt8])] = [
            ("original-2.jpg", Array(photo.prefix(200))), ("original-3.jpg", Array("TINTYPE-SECRET-PLACE".utf8)),
            ("original-4.jpg", []), ("original-5.png", try fixture("places/gps.png").dropLast(30)),
        ]
        try await withOriginal(photo) { service, _, path in
            let maria = try service.headers(of: "maria")
            let folder = path.replacing("original.jpg", with: "").replacing("/media/", with: "Storage/blobs/")
            for (name, bytes) in files {
                try service.scratch.write(bytes, to: folder + name)
                let address = path.replacing("original.jpg", with: name)
                let signed = "\(address)?token=\(service.mediaSigner.token(for: address, lifetimeSeconds: 60))"
                for answer in [
                    try await service.client.get(address), try await service.tcpClient.get(signed),
                    try await service.tcpClient.get(address, headers: maria),
                    try await service.client.get(address, headers: [.range: "bytes=0-10"]),
                ] {
                    #expect(answer.status == 422 && answer.json["code"].string == "cannot_scrub", "\(answer.text)")
                    #expect(!answer.text.contains("SECRET"))
                }
                #expect(try await service.client.ask(.head, address).status == 422)
                let kept = try await service.tcpClient.get(address + "?location=keep", headers: maria)
                #expect(kept.status == 200 && kept.body == bytes)
            }
        }
    }

    @Test("A file that replaces another at the same path is read again")
    func replaced() async throws {
        try await withOriginal(try fixture("places/kept-xmp.jpg")) { service, _, path in
            let file = path.replacing("/media/", with: "Storage/blobs/")
            for name in ["places/kept-xmp.jpg", "places/gps-ii.jpg", "places/xmp.jpg", "places/gps-mm.jpg"] {
                let bytes = try fixture(name)
                try service.scratch.write(bytes, to: file)
                let expected = try LocationScrubber.scrub(bytes).bytes
                for _ in 0..<2 { #expect(try await service.client.get(path).body == expected, "\(name)") }
            }
        }
    }
}
