import HTTPTypes

/// The hosts by which a request over TCP may call the service.
struct HostNames: Sendable {
    /// The host of the public address; nil when there is none.
    let publicHost: String?

    /// Whether the request is addressed to a name that means this service: one of this machine's, the public one, or, for
    /// the database, one that databases have with their vendor.
    func isOwn(_ head: HTTPRequest) -> Bool {
        let host = (head.authority.map { LoopbackAddress.split($0).host } ?? "").lowercased()
        return LoopbackAddress.isLoopback(host) || host == publicHost
            || (head.isForDatabase && Self.isDatabaseName(host))
    }

    private static func isDatabaseName(_ host: String) -> Bool {
        [".firebaseio.com", ".firebasedatabase.app"].contains { host.hasSuffix($0) }
    }
}
