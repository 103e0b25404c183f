import Client
import Foundation
import HTTPTypes
import NIOCore
import TestSupport
import Testing

@testable import Server

@Suite("Compressed answers")
struct GzipTests {
    @Test(
        "Text is compressed for clients that accept gzip",
        arguments: [
            ("gzip", true), ("br, gzip;q=0.5", true), ("GZIP", true), ("*", true), ("", false), ("br", false),
            ("gzip;q=0", false), ("gzip; q=0.0", false), ("identity", false),
        ])
    func negotiation(accepted: String, isCompressed: Bool) async throws {
        try await withService { service in
            let headers: HTTPFields = accepted.isEmpty ? [:] : [.acceptEncoding: accepted]
            let plain = try await service.client.get("/page/account.js")
            let answer = try await service.client.get("/page/account.js", headers: headers)
            #expect(answer.status == 200)
            #expect(answer.headers[.vary] == "Accept-Encoding")
            #expect(answer.headers[.contentEncoding] == (isCompressed ? "gzip" : nil))
            #expect(try (isCompressed ? gunzip(answer.body) : answer.body) == plain.body)
            #expect(isCompressed == (answer.body.count < plain.body.count))
        }
    }

    @Test("A page of posts takes a third of its bytes or less, and has the same content")
    func posts() async throws {
        try await withService { service in
            for number in 0..<20 {
                _ = try await service.client.post("The%20lake,%20seen%20from%20the%20shore%20\(number)")
            }
            let plain = try await service.client.get("/v1/posts")
            let answer = try await service.client.get("/v1/posts", headers: [.acceptEncoding: "gzip"])
            #expect(try gunzip(answer.body) == plain.body)
            #expect(answer.body.count * 3 < plain.body.count)
        }
    }

    @Test(
        "Photos, streams and short answers stay as they are", arguments: ["/v1/version", "/v1/posts/events", "PHOTO"])
    func untouched(path: String) async throws {
        try await withService { service in
            let post = try await service.client.post(try fixture("size-97x61.jpg"))
            let url = post["post"]["photos"][0]["renditions"]["full"]["url"].string
            let encoding = try await service.client.send(
                .get, path == "PHOTO" ? try #require(url) : path, headers: [.acceptEncoding: "gzip"]
            ) { response, _ in response.headerFields[.contentEncoding] }
            #expect(encoding == nil)
        }
    }

    /// Returns the output of the system's own program.
    private func gunzip(_ bytes: [UInt8]) throws -> [UInt8] {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).gz")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let program = Process()
        program.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        program.arguments = ["gzip", "-dc", file.path]
        let output = Pipe()
        program.standardOutput = output
        try program.run()
        let plain = try output.fileHandleForReading.readToEnd() ?? Data()
        program.waitUntilExit()
        try #require(program.terminationStatus == 0)
        return Array(plain)
    }
}
