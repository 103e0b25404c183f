import Foundation
import TintypeClient

/// A clock on which a wait ends only with its task.
struct StoppedClock: DeviceClock {
    var now: Date { Date() }

    func sleep(for duration: Duration) async throws { try await Task.sleep(for: .seconds(86_400)) }
}
