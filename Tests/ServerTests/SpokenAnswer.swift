import Foundation
import TestSupport
import Testing

/// An answer in its raw form.
struct SpokenAnswer: Sendable {
    let status: Int
    let fields: [String: String]
    let body: String
}

extension Service {
    /// Sends bytes, and reads the answers until the service ends the connection.
    func answers(to bytes: [UInt8], isTCP: Bool, cutInto size: Int = .max) async throws -> [SpokenAnswer] {
        let text =
            isTCP
            ? try await WireConnection.with(port: tcpPort) {
                try await Self.speak(bytes, cutInto: size, to: $0)
            }
            : try await WireConnection.with(socket: socketPath) {
                try await Self.speak(bytes, cutInto: size, to: $0)
            }
        return try Self.parse(text)
    }

    private static func speak(
        _ bytes: [UInt8], cutInto size: Int, to connection: WireConnection
    ) async throws -> String {
        for start in stride(from: 0, to: bytes.count, by: min(size, bytes.count)) {
            try await connection.send(Array(bytes[start..<min(start + min(size, bytes.count), bytes.count)]))
        }
        return await connection.readToEnd()
    }

    private static func parse(_ text: String) throws -> [SpokenAnswer] {
        var answers: [SpokenAnswer] = []
        var rest = text[...].utf8
        while !rest.isEmpty {
            let end = try #require(rest.firstRange(of: "\r\n\r\n".utf8), "\(text.prefix(2000))")
            let lines = Substring(rest[..<end.lowerBound]).split(separator: "\r\n")
            let fields = Dictionary(
                lines.dropFirst().map { line in
                    let parts = line.split(separator: ":", maxSplits: 1)
                    return (
                        parts[0].lowercased(), parts.dropFirst().first.map { $0.trimmingPrefix(" ").description } ?? ""
                    )
                }, uniquingKeysWith: { $0 + ", " + $1 })
            let status = Int(lines.first?.split(separator: " ").dropFirst().first ?? "") ?? 0
            rest = rest[end.upperBound...]
            let body = rest.prefix(status == 204 ? 0 : Int(fields["content-length"] ?? "") ?? 0)
            answers.append(SpokenAnswer(status: status, fields: fields, body: String(Substring(body))))
            rest = rest[body.endIndex...]
        }
        return answers
    }
}
