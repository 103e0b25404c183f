package import API
package import NIOCore

/// Limits the TCP connections of each address, regardless of user.
///
/// The limit does not apply to trusted proxies, which connect for others, or to programs on this machine.
package struct AddressLimit: Sendable {
    let limiter: ClientLimiter
    let proxies: TrustedProxies?
    /// Receives the address of each refused connection.
    let onRefusal: @Sendable (String) -> Void

    package init(limiter: ClientLimiter, proxies: TrustedProxies?, onRefusal: @escaping @Sendable (String) -> Void) {
        self.limiter = limiter
        self.proxies = proxies
        self.onRefusal = onRefusal
    }

    /// Counts a new connection.
    ///
    /// - Parameter end: The address of the other end; nil when the connection is already closed.
    /// - Returns: A lease that ends the counting when it is released; nil where there is no limit.
    /// - Throws: `Failure` with the code `too_many_requests`.
    package func begin(from end: SocketAddress?) throws(Failure) -> ClientLimiter.Lease? {
        guard let text = end?.ipAddress, let address = IPAddress(text)?.description,
            !HostName.isLoopback(address), proxies?.contains(address) != true
        else { return nil }
        do throws(Failure) {
            return try limiter.begin(.connection, of: LimitedClient(address: address))
        } catch {
            onRefusal(address)
            throw error
        }
    }
}
