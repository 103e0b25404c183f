import Foundation
import Testing
import TintypeClient

@Suite(
    "A transport and TLS", .timeLimit(.minutes(1)),
    .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/openssl"), "openssl is not installed"))
struct TrustTests {
    private static let openssl = "/usr/bin/openssl"

    @Test("A certificate that nobody has signed is not trusted")
    func untrusted() async throws {
        try await withFolder { folder in
            let key = folder.appendingPathComponent("key").path
            let certificate = folder.appendingPathComponent("certificate").path
            let maker = Self.process([
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-subj",
                "/CN=127.0.0.1", "-days", "1",
            ])
            try maker.run()
            maker.waitUntilExit()
            let server = Self.process(["s_server", "-accept", "127.0.0.1:0", "-key", key, "-cert", certificate, "-www"])
            let output = Pipe()
            server.standardOutput = output
            try server.run()
            defer { server.terminate() }
            var text = ""
            while !text.contains(/ACCEPT 127\.0\.0\.1:\d+\n/) {
                let bytes = output.fileHandleForReading.availableData
                try #require(!bytes.isEmpty)
                text += String(decoding: bytes, as: UTF8.self)
            }
            let port = try #require(text.firstMatch(of: /ACCEPT 127\.0\.0\.1:(\d+)\n/)?.1)
            let url = try #require(URL(string: "https://127.0.0.1:\(port)/"))
            await URLSessionTransport.run { transport in
                for _ in 0..<20 {
                    let error = await #expect(throws: TransportError.self) {
                        try await transport.response(to: TransportRequest("GET", url))
                    }
                    #expect(error?.cause == .untrusted)
                }
            }
        }
    }

    private static func process(_ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: openssl)
        process.arguments = arguments
        (process.standardInput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        process.standardOutput = FileHandle.nullDevice
        return process
    }
}
