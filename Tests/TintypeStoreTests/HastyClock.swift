import Foundation
import TintypeClient

/// A clock that does not wait long.
struct HastyClock: DeviceClock {
    var now: Date { Date() }

    func sleep(for duration: Duration) async throws { try await SystemClock().sleep(for: duration / 100) }
}
