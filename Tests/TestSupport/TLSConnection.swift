import NIOCore
package import NIOSSL
import Synchronization

extension Scratch {
    /// Writes a certificate to `certificate.pem`, and its key to `key.pem`.
    package func install(_ certificate: TestCertificate) throws {
        try write(certificate.key, to: "key.pem")
        try write(certificate.certificate, to: "certificate.pem")
    }
}

extension WireConnection {
    /// Connects to a port of 127.0.0.1 with TLS, as a client that trusts one certificate.
    ///
    /// - Parameter end: Receives the error that ends the connection.
    package convenience init(
        port: Int, trusting certificate: TestCertificate, maxVersion: TLSVersion? = nil, noting end: TLSEnd = TLSEnd()
    ) async throws {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates(
            try NIOSSLCertificate.fromPEMBytes(Array(certificate.certificate.utf8)))
        configuration.minimumTLSVersion = .tlsv1
        configuration.maximumTLSVersion = maxVersion
        let context = try NIOSSLContext(configuration: configuration)
        try await self.init(port: port) { pipeline in
            try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: "localhost"))
            try pipeline.addHandler(TLSEndHandler(end))
        }
    }
}

/// The end of a connection with TLS.
package final class TLSEnd: Sendable {
    private let first = Mutex<(any Error)?>(nil)

    package init() {}

    /// The first error; nil while there is none.
    package var error: (any Error)? { first.withLock { $0 } }

    func note(_ error: any Error) { first.withLock { $0 = $0 ?? error } }
}

/// Records the errors of a connection, and passes them on.
private final class TLSEndHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let end: TLSEnd

    init(_ end: TLSEnd) { self.end = end }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end.note(error)
        context.fireErrorCaught(error)
    }
}
