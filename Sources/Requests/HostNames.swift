import HTTPTypes
import Transport

/// The host names by which a TCP request may address the service.
package struct HostNames: Sendable {
    /// The domains of the vendor's databases: a page cannot give their names another address.
    package static let databaseDomains = [".firebaseio.com", ".firebasedatabase.app"]

    /// The host of the public address; nil if there is none.
    package let publicHost: String?
    /// The domains whose every host belongs to the service, each with a leading dot.
    package var domains: [String] = []

    package init(publicHost: String?, domains: [String] = []) {
        self.publicHost = publicHost
        self.domains = domains
    }

    /// Whether the request is addressed to a name of this service: a name of this machine, the address at which it
    /// arrived, the public name, or a name in its domains.
    ///
    /// Name servers have no influence, so that a page cannot claim an address as its own.
    func isOwn(_ head: HTTPRequest, at localAddress: IPAddress?) -> Bool {
        let host = (head.authority.map { HostName.split($0).host } ?? "").lowercased()
        if let localAddress, IPAddress(host) == localAddress { return true }
        return HostName.isLoopback(host) || host == publicHost || domains.contains { host.hasSuffix($0) }
    }
}
