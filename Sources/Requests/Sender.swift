package import Access
import Synchronization

/// The identity of a request's sender, for those who see the request before and after its admission.
package final class Sender: Sendable {
    private let noted = Mutex<Identity?>(nil)

    /// The identity that the request acts as; nil if it was not determined.
    package var identity: Identity? { noted.withLock { $0 } }

    func note(_ identity: Identity) { noted.withLock { $0 = identity } }
}
