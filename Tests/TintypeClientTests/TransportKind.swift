import Foundation
import TintypeClient
import TintypeTestSupport

/// The transports that the suite runs with.
enum TransportKind: CaseIterable, Sendable {
    /// The one for apps, which uses sockets on Linux if there is no TLS.
    case standard
    /// The same with `URLSession` for all requests, as on Apple's systems and over TLS.
    case session
    /// A recording of the first.
    case recording

    /// Calls a body with a transport of the kind, and closes it.
    func run<Result>(_ body: (any Transport) async throws -> Result) async throws -> Result {
        let transport = URLSessionTransport(usesSockets: self != .session)
        defer { transport.close() }
        guard self == .recording else { return try await body(transport) }
        return try await withFolder { try await body(try RecordingTransport(transport, folder: $0)) }
    }
}

/// Calls a body with a folder, and removes it.
func withFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tt-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
}

/// Returns bytes that differ by their position.
func patterned(_ count: Int) -> Data {
    var bytes = Data((0..<251).map { UInt8($0) })
    while bytes.count < count { bytes += bytes }
    return bytes.prefix(count)
}
