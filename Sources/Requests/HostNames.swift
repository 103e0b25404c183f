import HTTPTypes
import Transport

/// The hosts by which a request over TCP may call the service.
package struct HostNames: Sendable {
    /// The domains in which databases have their names with their vendor: no page can give these another address.
    package static let databaseDomains = [".firebaseio.com", ".firebasedatabase.app"]

    /// The host of the public address; nil when there is none.
    package let publicHost: String?
    /// The domains of which every host is the service's own, each with a dot first.
    package var domains: [String] = []

    package init(publicHost: String?, domains: [String] = []) {
        self.publicHost = publicHost
        self.domains = domains
    }

    /// Whether the request is addressed to a name that means this service: one of this machine's, the address at which it
    /// came in, the public name, or one in its domains.
    ///
    /// No name server has a say in what an address means, so that no page can take one for its own.
    func isOwn(_ head: HTTPRequest, at localAddress: IPAddress?) -> Bool {
        let host = (head.authority.map { HostName.split($0).host } ?? "").lowercased()
        if let localAddress, IPAddress(host) == localAddress { return true }
        return HostName.isLoopback(host) || host == publicHost || domains.contains { host.hasSuffix($0) }
    }
}
