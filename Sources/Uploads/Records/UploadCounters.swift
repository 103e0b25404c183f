package import API
import Synchronization

/// The number of uploads for each kind of end since the start.
package final class UploadCounters: Sendable {
    private let counts = Mutex<[UploadState: Int]>([:])

    package subscript(state: UploadState) -> Int {
        counts.withLock { $0[state, default: 0] }
    }

    func count(_ state: UploadState) {
        counts.withLock { $0[state, default: 0] += 1 }
    }
}
