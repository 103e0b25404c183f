package import API
package import NIOCore

/// Counts the connections over TCP that each address has, whoever uses them.
///
/// A listed proxy has as many as it likes, for it connects for others, and so have programs on this machine.
package struct AddressLimit: Sendable {
    let limiter: ClientLimiter
    let proxies: TrustedProxies?
    /// Is told the address of a connection that was refused.
    let onRefusal: @Sendable (String) -> Void

    package init(limiter: ClientLimiter, proxies: TrustedProxies?, onRefusal: @escaping @Sendable (String) -> Void) {
        self.limiter = limiter
        self.proxies = proxies
        self.onRefusal = onRefusal
    }

    /// Counts a connection that has come in.
    ///
    /// - Parameter end: The address of the other end; nil when the connection has gone already.
    /// - Returns: What ends the counting, when it goes; nil where there is no limit.
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
