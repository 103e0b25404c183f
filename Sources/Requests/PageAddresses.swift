import Synchronization

/// The addresses of the service's pages.
package final class PageAddresses: Sendable {
    private let publicURL: String?
    private let scheme: String
    private let listening = Mutex<[String]>([])

    package init(publicURL: PublicURL?, isEncrypted: Bool) {
        self.publicURL = publicURL?.origin
        scheme = isEncrypted ? "https" : "http"
    }

    /// Adds an address of a listener. A listener for all addresses of the machine is reached by loopback.
    package func add(host: String, port: Int) {
        let host = ["0.0.0.0", "::"].contains(host) ? "127.0.0.1" : host.contains(":") ? "[\(host)]" : host
        listening.withLock { $0.append("\(scheme)://\(host):\(port)") }
    }

    /// The addresses, the public one first.
    package var all: [String] { [publicURL].compactMap(\.self) + listening.withLock(\.self) }
}
