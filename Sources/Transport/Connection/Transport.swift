package import API
package import Logging
package import NIOCore
import NIOSSL

/// The layers around HTTP on the connections of a listener.
package struct Transport: Sendable {
    /// The TLS layer; nil for unencrypted connections.
    var tls: TLSTransport?
    /// The proxies whose reports about clients are trusted; nil for none.
    var proxies: TrustedProxies?

    package init(tls: TLSTransport? = nil, proxies: TrustedProxies? = nil) {
        self.tls = tls
        self.proxies = proxies
    }
}

/// The TLS layer of a listener's connections.
package struct TLSTransport: Sendable {
    /// The time limits of TLS.
    package struct Times: Sendable {
        /// The longest time for a client's handshake.
        var handshake: TimeAmount
        /// The time between checks for a replaced certificate.
        var certificateCheck: Duration

        package init(handshake: TimeAmount = .seconds(10), certificateCheck: Duration = .seconds(5)) {
            self.handshake = handshake
            self.certificateCheck = certificateCheck
        }
    }

    /// The largest number of concurrent handshakes: each uses about 50 kB of memory.
    private static let maxHandshakes = 4096

    private let certificates: TLSCertificates
    private let handshakes: HandshakeQueue
    private let times: Times

    /// Reads the certificate.
    ///
    /// At most half of the connections may be in a handshake, so that unfinished handshakes do not use up the room, and
    /// at most ``maxHandshakes``.
    ///
    /// - Parameter maxConnections: The largest number of connections of the listener.
    /// - Throws: `Failure` with the code `bad_certificate`.
    package init(_ files: TLSFiles, _ times: Times, maxConnections: Int) throws(Failure) {
        certificates = try TLSCertificates(files)
        let limit = min(maxConnections / 2, Self.maxHandshakes)
        handshakes = HandshakeQueue(limit: limit, patience: times.handshake)
        self.times = times
    }

    /// Adds the TLS handlers between a connection's socket and its other handlers.
    func addHandlers(to pipeline: ChannelPipeline.SynchronousOperations) throws {
        try pipeline.addHandler(HandshakeHandler(handshakes), position: .first)
        try pipeline.addHandler(NIOSSLServerHandler(context: certificates.context), position: .first)
        try pipeline.addHandler(PlaintextHandler(), position: .first)
    }

    /// Returns the service that keeps the certificate up to date with its files.
    ///
    /// - Parameter onRead: Is called with the certificate at the start, and each time that it was read again.
    package func certificateWatch(
        _ logger: Logger, onRead: @escaping @Sendable (TLSCertificates) -> Void = { _ in }
    ) -> CertificateWatch {
        CertificateWatch(
            certificates: certificates, interval: times.certificateCheck, logger: logger, onRead: onRead)
    }
}
