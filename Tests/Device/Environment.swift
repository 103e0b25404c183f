import Foundation
import Synchronization
import TintypeClient
import TintypeModel

/// A clock that is wrong, and may jump. It waits for a shorter time than it says, so that a test need not wait.
final class ShiftedClock: DeviceClock {
    private let offset: Mutex<Double>
    private let speed: Double

    init(offset: Double, speed: Double) {
        self.offset = Mutex(offset)
        self.speed = speed
    }

    var now: Date { Date().addingTimeInterval(offset.withLock(\.self)) }

    var uptime: Duration { SystemClock().uptime }

    /// Shifts the clock further.
    ///
    /// - Returns: The members of an answer.
    func jump(by seconds: Double) -> [String: JSONValue] {
        offset.withLock { $0 += seconds }
        return [:]
    }

    func sleep(for duration: Duration) async throws { try await SystemClock().sleep(for: duration / speed) }
}

/// A network whose presence the test decides.
final class SwitchedReachability: Reachability {
    private struct State {
        var isOn = true
        var listeners: [AsyncStream<Bool>.Continuation] = []
    }

    private let state = Mutex(State())

    func changes() -> AsyncStream<Bool> {
        let (stream, continuation) = AsyncStream.makeStream(of: Bool.self)
        state.withLock { state in
            continuation.yield(state.isOn)
            state.listeners.append(continuation)
        }
        return stream
    }

    /// Reports whether there is a network, also if it was known.
    ///
    /// - Returns: The members of an answer.
    func set(_ isOn: Bool) -> [String: JSONValue] {
        state.withLock { state in
            state.isOn = isOn
            state.listeners.removeAll { listener in
                if case .terminated = listener.yield(isOn) { true } else { false }
            }
        }
        return [:]
    }
}
