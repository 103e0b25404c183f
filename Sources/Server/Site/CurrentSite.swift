import Synchronization

/// The site as it is named at present, an object that all its readers share.
package final class CurrentSite: Sendable {
    private let site: Mutex<Site>

    package init(_ site: Site = Site()) {
        self.site = Mutex(site)
    }

    /// The present value. A reader that needs several consistent parts reads it once.
    package var value: Site { site.withLock { $0 } }

    /// Replaces all of it.
    package func adopt(_ new: Site) {
        site.withLock { $0 = new }
    }
}
