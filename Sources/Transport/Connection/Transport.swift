package import API
package import Logging
package import NIOCore
import NIOSSL

/// What the connections of a listener have around HTTP.
package struct Transport: Sendable {
    /// What encrypts them; nil where they are not encrypted.
    var tls: TLSTransport?
    /// The proxies that are believed when they say for whom they connect; nil for none.
    var proxies: TrustedProxies?

    package init(tls: TLSTransport? = nil, proxies: TrustedProxies? = nil) {
        self.tls = tls
        self.proxies = proxies
    }
}

/// What encrypts the connections of a listener.
package struct TLSTransport: Sendable {
    /// The times that TLS may take.
    package struct Times: Sendable {
        /// How long a client may take for its handshake.
        var handshake: TimeAmount
        /// How long a certificate that was replaced may stay in use.
        var certificateCheck: Duration

        package init(handshake: TimeAmount = .seconds(10), certificateCheck: Duration = .seconds(5)) {
            self.handshake = handshake
            self.certificateCheck = certificateCheck
        }
    }

    /// How many handshakes may go on at once, at most: each has about 50 kB of memory.
    private static let maxHandshakes = 4096

    private let certificates: TLSCertificates
    private let handshakes: HandshakeQueue
    private let times: Times

    /// Reads the certificate.
    ///
    /// Handshakes have half of the room, so that those who never finish one do not fill it, and no more than memory for
    /// ``maxHandshakes``.
    ///
    /// - Parameter maxConnections: How many connections the listener has at most.
    /// - Throws: `Failure` with the code `bad_certificate`.
    package init(_ files: TLSFiles, _ times: Times, maxConnections: Int) throws(Failure) {
        certificates = try TLSCertificates(files)
        let limit = min(maxConnections / 2, Self.maxHandshakes)
        handshakes = HandshakeQueue(limit: limit, patience: times.handshake)
        self.times = times
    }

    /// Adds what encrypts a connection between its socket and the handlers that it has.
    func addHandlers(to pipeline: ChannelPipeline.SynchronousOperations) throws {
        try pipeline.addHandler(HandshakeHandler(handshakes), position: .first)
        try pipeline.addHandler(NIOSSLServerHandler(context: certificates.context), position: .first)
        try pipeline.addHandler(PlaintextHandler(), position: .first)
    }

    /// What keeps the certificate as its files are.
    package func certificateWatch(_ logger: Logger) -> CertificateWatch {
        CertificateWatch(certificates: certificates, interval: times.certificateCheck, logger: logger)
    }
}
