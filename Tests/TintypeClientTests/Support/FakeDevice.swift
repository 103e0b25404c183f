import Foundation
import TintypeClient

/// A clock that the test moves.
final class FakeClock: DeviceClock {
    private let times = Guarded((now: Date(timeIntervalSince1970: 1_800_000_000), uptime: Duration.zero))

    var now: Date { times.withLock { $0.now } }
    var uptime: Duration { times.withLock { $0.uptime } }

    func sleep(for duration: Duration) async throws { pass(duration) }

    func pass(_ duration: Duration) {
        times.withLock {
            $0.uptime += duration
            $0.now += Double(duration.components.seconds)
        }
    }

    /// Sets the clock that people see, which a device's owner may do at any time.
    func set(_ date: Date) { times.withLock { $0.now = date } }
}

/// A keychain in memory, which several sessions can share.
actor FakeKeychain: Keychain {
    private var secrets: [String: Data] = [:]
    private var fault: (reading: Bool, writing: Bool) = (false, false)

    func secret(named name: String) throws -> Data? {
        if fault.reading { throw KeychainFault() }
        return secrets[name]
    }

    func setSecret(_ secret: Data?, named name: String) throws {
        if fault.writing { throw KeychainFault() }
        secrets[name] = secret
    }

    func fail(reading: Bool = false, writing: Bool = false) { fault = (reading, writing) }

    func corrupt() { secrets = secrets.mapValues { _ in Data("{".utf8) } }

    var texts: [String] { secrets.values.map { String(decoding: $0, as: UTF8.self) } }

    struct KeychainFault: Error {}
}

/// A transport whose answers the test gives.
struct FakeTransport: Transport {
    let answer: @Sendable (TransportRequest) async throws -> TransportResponse

    func response(
        to request: TransportRequest, progress: (@Sendable (Int64) -> Void)?
    ) async throws -> TransportResponse { try await answer(request) }

    func stream(for request: TransportRequest) async throws -> TransportStream {
        let response = try await answer(request)
        let (chunks, continuation) = AsyncThrowingStream.makeStream(of: Data.self)
        continuation.yield(response.body)
        continuation.finish()
        return TransportStream(status: response.status, headers: response.headers, chunks: chunks)
    }
}
