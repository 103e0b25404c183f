import Client
import Foundation
import HTTPTypes
import Store
import TestSupport
import Testing

@Suite("P15: Media are served for ever, in parts, and under one name alone", .timeLimit(.minutes(20)))
struct MediaTests {
    /// The store of the blobs: a folder, or memory.
    enum Blobs: CaseIterable { case folder, memory }

    /// Runs a body with a service that has one post, and with the address and the bytes of its `full` rendition.
    private func withPhoto<R: Sendable>(
        in blobs: Blobs = .folder,
        _ body: @Sendable (Service, _ url: String, _ bytes: [UInt8]) async throws -> R
    ) async throws -> R {
        let jpeg = try fixture("exif-gps.jpg")
        let memory = blobs == .memory ? MemoryBlobStore() : nil
        return try await withService(blobs: memory) { service in
            let url = try await service.client.post(jpeg)["post"]["full_url"].string ?? "/"
            return try await body(service, url, try await bytes(of: url, memory, service))
        }
    }

    /// The bytes of a rendition in the store.
    private func bytes(of url: String, _ memory: MemoryBlobStore?, _ service: Service) async throws -> [UInt8] {
        let folder = "\(service.scratch.path)/Storage/blobs"
        guard let memory else {
            return Array(try Data(contentsOf: URL(fileURLWithPath: url.replacing("/media", with: folder))))
        }
        #expect(!FileManager.default.fileExists(atPath: url.replacing("/media", with: folder)))
        let parts = url.split(separator: "/").map(String.init)
        let reader = try memory.reader(
            of: BlobName(userID: parts[1], postID: parts[2], fileName: parts[3]))
        let next = try await reader.pieces(of: 0..<reader.byteCount)
        var bytes: [UInt8] = []
        while let piece = try await next() { bytes += piece }
        return bytes
    }

    @Test("A strong ETag, caching for ever, and headers that keep browsers from guessing", arguments: Blobs.allCases)
    func whole(blobs: Blobs) async throws {
        try await withPhoto(in: blobs) { service, url, bytes in
            for client in [service.client, service.tcpClient] {
                let answer = try await client.get(url)
                #expect(answer.status == 200)
                #expect(answer.body == bytes)
                #expect(answer.headers[.contentType] == "image/jpeg")
                #expect(answer.headers[.contentLength] == "\(bytes.count)")
                #expect(answer.headers[.cacheControl] == "public, max-age=31536000, immutable")
                #expect(answer.headers[.acceptRanges] == "bytes")
                #expect(answer.headers[.xContentTypeOptions] == "nosniff")
                #expect(answer.headers[.contentSecurityPolicy] == "default-src 'none'; sandbox")
                let tag = answer.headers[.eTag] ?? ""
                #expect(tag.hasPrefix("\"") && tag.hasSuffix("\""), "strong: \(tag)")
            }
        }
    }

    @Test("An invalid location is refused for renditions, too; other query items are ignored")
    func location() async throws {
        try await withPhoto { service, url, bytes in
            for query in ["location=", "location=Keep", "location=x&v=1"] {
                let answer = try await service.client.get("\(url)?\(query)")
                #expect(answer.status == 400, "\(query)")
            }
            for query in ["location=keep", "location=remove", "v=1", ""] {
                let answer = try await service.client.get("\(url)?\(query)")
                #expect(answer.body == bytes, "\(query)")
            }
        }
    }

    @Test("HEAD has the headers of GET, without the bytes", arguments: Blobs.allCases)
    func head(blobs: Blobs) async throws {
        try await withPhoto(in: blobs) { service, url, bytes in
            let (get, head) = (try await service.client.get(url), try await service.client.ask(.head, url))
            #expect(head.status == 200)
            #expect(head.body.isEmpty)
            #expect(head.headers[.contentLength] == "\(bytes.count)")
            #expect(head.headers[.eTag] == get.headers[.eTag])
        }
    }

    @Test("A file that the client has already is not sent again", arguments: Blobs.allCases)
    func notModified(blobs: Blobs) async throws {
        try await withPhoto(in: blobs) { service, url, _ in
            let tag = try await service.client.get(url).headers[.eTag] ?? ""
            for (condition, status) in [
                (tag, 304), ("W/\(tag)", 304), ("\"other\", \(tag)", 304), ("*", 304), ("\"other\"", 200),
            ] {
                let answer = try await service.client.get(url, headers: [.ifNoneMatch: condition])
                #expect(answer.status == status, "\(condition)")
                #expect(answer.headers[.eTag] == tag)
                #expect((answer.status == 304) == answer.body.isEmpty)
            }
        }
    }

    @Test("Ranges", arguments: Blobs.allCases)
    func ranges(blobs: Blobs) async throws {
        try await withPhoto(in: blobs) { service, url, bytes in
            let count = bytes.count
            let rows: [(range: String, part: Range<Int>?)] = [
                ("bytes=0-9", 0..<10), ("bytes=10-", 10..<count), ("bytes=-10", count - 10..<count),
                ("bytes=0-\(count * 2)", 0..<count), ("bytes=0-1,3-4", nil), ("lines=1-2", nil),
            ]
            for (range, part) in rows {
                let answer = try await service.client.get(url, headers: [.range: range])
                #expect(answer.status == (part == nil ? 200 : 206), "\(range)")
                #expect(answer.body == Array(bytes[part ?? 0..<count]))
                let contentRange = part.map { "bytes \($0.lowerBound)-\($0.upperBound - 1)/\(count)" }
                #expect(answer.headers[.contentRange] == contentRange)
            }
            let outside = try await service.client.get(url, headers: [.range: "bytes=\(count)-"])
            #expect(outside.status == 416)
            #expect(outside.headers[.contentRange] == "bytes */\(count)")
        }
    }

    @Test("If-Range: A part of the client's version, or else the whole", arguments: Blobs.allCases)
    func ifRange(blobs: Blobs) async throws {
        try await withPhoto(in: blobs) { service, url, _ in
            let tag = try await service.client.get(url).headers[.eTag] ?? ""
            for (condition, status) in [
                (tag, 206), ("\"other\"", 200), ("W/\(tag)", 200), ("Sat, 21 Nov 2026 08:00:00 GMT", 200),
            ] {
                let answer = try await service.client.get(url, headers: [.range: "bytes=0-1", .ifRange: condition])
                #expect(answer.status == status, "\(condition)")
            }
        }
    }

    @Test(
        "Originals are their owner's and admins', and neither cached nor shown; renditions contain no place",
        arguments: Blobs.allCases)
    func originals(blobs: Blobs) async throws {
        try await withPhoto(in: blobs) { service, url, bytes in
            let original = url.replacing(/[^\/]+$/, with: "original.jpg")
            let hidden = try await service.tcpClient.get(original)
            #expect(hidden.status == 404)
            #expect(hidden.json["code"].string == "not_found")
            let answer = try await service.client.get(original)
            #expect(answer.status == 200)
            #expect(answer.headers[.contentDisposition] == "attachment; filename=\"original.jpg\"")
            #expect(answer.headers[.cacheControl]?.contains("public") == false)
            #expect(String(decoding: answer.body, as: UTF8.self).contains("Exif"))
            #expect(!String(decoding: bytes, as: UTF8.self).contains("Exif"))
        }
    }

    @Test(
        "Files outside of the blobs have no address",
        arguments: [
            "/media/../tree.sqlite", "/media/maria/../../lock", "/media/%2e%2e/%2e%2e/lock",
            "/media/maria/%2e%2e/%2e%2e",
            "/media/..%2f..%2f/x/lock", "/media/maria/x/..%2f..%2f..%2flock", "/media/maria/x/..%5c..%5clock",
            "/media/%252e%252e/x/lock", "/media/maria/x/%00", "/media/maria/x/a%0d%0aSet-Cookie:x",
            "/media/maria/x/.part",
            "/media/maria/-P6xGdOK6scoZJdt2p7F/full.jpg", "/media/maria", "/media/maria/x", "/media/a/b/c/d",
            "/media//etc/passwd", "/media/link/x/file", "/media/maria/folder/inner", "/media/maria/folder/fifo",
            "/media/maria/folder/link",
        ])
    func traversal(path: String) async throws {
        try await withService { service in
            try service.scratch.write("secret", to: "Storage/blobs/maria/folder/inner/file")
            try service.scratch.write("secret", to: "outside/x/file")
            let blobs = "\(service.scratch.path)/Storage/blobs"
            #expect(symlink("\(service.scratch.path)/outside", "\(blobs)/link") == 0)
            #expect(symlink("\(service.scratch.path)/outside/x/file", "\(blobs)/maria/folder/link") == 0)
            #expect(mkfifo("\(blobs)/maria/folder/fifo", 0o600) == 0)
            for client in [service.client, service.tcpClient] {
                let answer = try await client.get(path)
                #expect(answer.status == 404, "\(answer.text)")
                #expect(!answer.text.contains("secret"))
            }
        }
    }
}
