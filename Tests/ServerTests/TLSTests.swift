import API
import Client
import Foundation
import HTTPTypes
import NIOCore
import NIOSSL
import Requests
import TestSupport
import Testing
import Tree

@testable import Service
@testable import Transport

/// The TCP port with a certificate, with clients that verify it, and with hostile ones.
@Suite("TLS", .timeLimit(.minutes(20)))
struct TLSTests {
    /// The beginning of a TLS record of 512 bytes, which would contain a ClientHello.
    private static let halfHello: [UInt8] = [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01]

    /// Runs the body against a service that has the first certificate, in the folder of the test.
    private func withTLS(
        change: (inout HTTPServer.Settings) -> Void = { _ in },
        _ body: @Sendable (Service, Scratch) async throws -> Void
    ) async throws {
        try await withScratch { scratch in
            try scratch.install(.first)
            try await withService(
                changeServer: { settings in
                    settings.tls = scratch.tlsFiles
                    settings.tlsTimes = .init(handshake: .seconds(600), certificateCheck: .milliseconds(20))
                    change(&settings)
                },
                { service in
                    try await service.tree.setRules(#"{"rules": {".read": true, ".write": true}}"#)
                    try await body(service, scratch)
                })
        }
    }

    @Test("The metrics have the end of the certificate")
    func expiry() async throws {
        try await withTLS { service, scratch in
            let own = try #require(try NIOSSLCertificate.fromPEMFile(scratch.tlsFiles.certificate).first)
            try await eventually {
                let scrape = try Scrape(try await service.client.get("/v1/metrics").text)
                return scrape.value("tintype_tls_certificate_expiry_timestamp_seconds") == Double(own.notValidAfter)
            }
        }
    }

    @Test("Browsers must use the service's name over TLS alone, unless it means this machine")
    func strictTransport() async throws {
        try await withTLS(change: { $0.publicURL = PublicURL("https://photos.example") }) { service, _ in
            let connection = try await service.connect(trusting: .first)
            let cases = [
                ("photos.example", "max-age=31536000"), ("photos.example:443", "max-age=31536000"),
                ("photos.example:8443", nil), ("localhost", nil),
                ("localhost:8443", nil), ("127.0.0.1", nil), ("[::1]:8443", nil),
            ]
            for (host, expected) in cases {
                for path in ["/v1/version", "/nothing", "/page/page.css"] {
                    try await connection.send("GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
                    let answer = try #require(await connection.answer())
                    let field = try #require(HTTPField.Name("strict-transport-security"))
                    #expect(answer.headers[field] == expected, "\(host)\(path)")
                }
            }
            await connection.close()
        }
    }

    @Test("Without TLS of its own, they must where a trusted proxy reports TLS")
    func strictTransportOfProxies() async throws {
        let field = try #require(HTTPField.Name("strict-transport-security"))
        let proto = try #require(HTTPField.Name("x-forwarded-proto"))
        for (proxies, expected) in [("127.0.0.1", "max-age=31536000"), (nil, nil)] {
            try await withService(changeServer: { settings in
                settings.publicURL = PublicURL("https://photos.example")
                settings.proxies = proxies.flatMap { TrustedProxies(parsing: $0) }
            }) { service in
                let connection = try await WireConnection(port: service.tcpPort)
                for (scheme, expected) in [("https", expected), ("http", nil)] {
                    try await connection.send(
                        "GET /healthz HTTP/1.1\r\nHost: photos.example\r\n\(proto): \(scheme)\r\n\r\n")
                    let answer = try #require(await connection.answer())
                    #expect(answer.headers[field] == expected, "\(scheme)")
                }
                await connection.close()
            }
        }
    }

    @Test(
        "Requests and their answers pass through TLS one after the other, also large ones; the last ends it cleanly")
    func requests() async throws {
        try await withTLS { service, _ in
            let end = TLSEnd()
            let connection = try await service.connect(trusting: .first, noting: end)
            for _ in 0..<3 {
                #expect(await connection.isAnswered)
            }
            let text = #""\#(String(repeating: "x", count: 1 << 20))""#
            try await connection.send(
                "PUT /a.json?print=silent HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
            )
            #expect(await connection.answer()?.status == 204)
            try await connection.send("GET /a.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            #expect(await connection.answer()?.text == text)
            #expect(await connection.readToEnd() == "")
            #expect(end.error == nil)
            await connection.close()
        }
    }

    @Test(
        "A WebSocket over TLS accepts messages of every size one after the other, however their records are cut",
        arguments: [10, 15_000, 200_000, 2_000_000])
    func largeMessages(byteCount: Int) async throws {
        try await withTLS { service, _ in
            let client = try await WireClient(over: service.connect(trusting: .first))
            for round in 0..<3 {
                let value = String(repeating: "\(round)", count: byteCount)
                let heard = try await client.answer("p", #"{"p":"/a","d":"\#(value)"}"#)
                #expect(heard.last?.contains(#""s":"ok""#) == true)
                #expect(try await service.tree.get("a") == .string(value))
            }
            await client.close()
        }
    }

    @Test(
        "A client whose frame is too long gets the reason of the close, while it is still sending",
        arguments: [70_000, 8 << 20])
    func longFrames(byteCount: Int) async throws {
        try await withTLS { service, _ in
            for connection in [
                try await service.connect(trusting: .first), try await WireConnection(socket: service.socketPath),
            ] {
                let client = try await WireClient(over: connection)
                try? await client.sendFrame([UInt8](repeating: 0x20, count: byteCount))
                try await client.untilClosed()
                #expect(client.closeCode == 1009)
                await client.close()
            }
        }
    }

    @Test("A replaced certificate is served to new connections, and streams that were open before continue")
    func renewal() async throws {
        try await withTLS { service, certificates in
            let stream = try await service.connect(trusting: .first)
            try await stream.send("GET /a.json HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
            #expect(await stream.read(through: "\n\n")?.hasSuffix("\r\n\r\n") != nil)
            try certificates.install(.second)
            try await eventually { await service.serves(.second) }
            #expect(await !service.serves(.first))
            try await service.tree.set("a", to: 7)
            #expect(await stream.read(through: #""data":7}"#) != nil)
            await stream.close()
        }
    }

    @Test(
        "Unusable files leave the certificate unchanged, with one log line; usable ones are served then",
        arguments: [
            ("certificate.pem", "nonsense"), ("certificate.pem", ""), ("key.pem", "nonsense"),
            ("key.pem", TestCertificate.second.key), ("certificate.pem", TestCertificate.second.certificate),
        ])
    func unusable(file: String, text: String) async throws {
        try await withScratch { scratch in
            try scratch.install(.first)
            let certificates = try TLSCertificates(scratch.tlsFiles)
            let context = certificates.context
            #expect(try !certificates.reloadIfChanged())
            try scratch.write(text, to: file)
            #expect(throws: Failure.self) { try certificates.reloadIfChanged() }
            #expect(try !certificates.reloadIfChanged())
            #expect(certificates.context === context)
            try scratch.install(.second)
            #expect(try certificates.reloadIfChanged())
            #expect(certificates.context !== context)
        }
    }

    @Test("A client that does not trust the certificate, or speaks an old version, gets no connection")
    func refusals() async throws {
        try await withTLS { service, _ in
            #expect(await !service.serves(.second))
            #expect(await !service.serves(.first, maxVersion: .tlsv11))
            #expect(await service.serves(.first, maxVersion: .tlsv12))
        }
    }

    @Test("Plain HTTP is answered in the clear, with the address to use instead")
    func plaintext() async throws {
        try await withTLS { service, _ in
            try await WireConnection.with(port: service.tcpPort) { connection in
                try await connection.send(WireConnection.request)
                let answer = try #require(await connection.answer())
                #expect(answer.status == 403)
                #expect(answer.json["code"].string == "not_encrypted")
                #expect(answer.json["hint"].string?.contains("https://") == true)
                #expect(await connection.readToEnd() == "")
            }
        }
    }

    @Test(
        "Bytes that are neither TLS nor HTTP are not answered",
        arguments: [[0], [0x80, 0x2E, 1, 3, 1], [0x16, 0xFF, 0xFF, 0xFF]])
    func nonsense(bytes: [UInt8]) async throws {
        try await withTLS { service, _ in
            try await WireConnection.with(port: service.tcpPort) { connection in
                try await connection.send(bytes + [UInt8](repeating: 0xFF, count: 1000))
                #expect(await !connection.readToEnd().contains("HTTP"))
            }
            #expect(await service.serves(.first))
        }
    }

    @Test(
        "A client that does not finish its handshake in time is disconnected; one that did is not",
        arguments: [[], halfHello])
    func deadline(bytes: [UInt8]) async throws {
        try await withTLS(change: { $0.tlsTimes.handshake = .seconds(1) }) { service, _ in
            var proven = try await service.connect(trusting: .first)
            // A slow machine may not finish the first in time, either.
            while await !proven.isAnswered { proven = try await service.connect(trusting: .first) }
            try await WireConnection.with(port: service.tcpPort) { connection in
                if !bytes.isEmpty { try await connection.send(bytes) }
                _ = await connection.readToEnd()
            }
            #expect(await proven.isAnswered)
            await proven.close()
        }
    }

    @Test("A flood of unfinished handshakes takes no room from clients that finish theirs")
    func flood() async throws {
        try await withTLS(change: { $0.connections = ConnectionLimits(tcp: 8, all: 16) }) { service, _ in
            var flood: [WireConnection] = []
            for number in 0..<40 {
                let connection = try await WireConnection(port: service.tcpPort)
                if number.isMultiple(of: 2) { try? await connection.send(Self.halfHello) }
                flood.append(connection)
                if number.isMultiple(of: 10) { #expect(await service.serves(.first)) }
            }
            #expect(await service.serves(.first))
            #expect(try await service.client.get("/readyz").status == 200)
            // The oldest was closed for it.
            _ = await flood[0].readToEnd()
            for connection in flood { await connection.close() }
        }
    }

    @Test("The oldest unfinished handshake ends for a new one")
    func queue() async throws {
        try await withTLS(change: { $0.connections = ConnectionLimits(tcp: 4, all: 16) }) { service, _ in
            let oldest = try await WireConnection(port: service.tcpPort)
            let proven = try await service.connect(trusting: .first)
            #expect(await proven.isAnswered)
            let newer = try await WireConnection(port: service.tcpPort)
            let newest = try await WireConnection(port: service.tcpPort)
            #expect(await oldest.readToEnd() == "")
            try await newer.send(WireConnection.request)
            #expect(await newer.answer()?.status == 403)
            #expect(await proven.isAnswered)
            for connection in [oldest, proven, newer, newest] { await connection.close() }
        }
    }
}
