import NIOCore
import NIOSSL
import Synchronization
import TestSupport
import Transport

extension Scratch {
    /// The files from which a service in this folder reads its certificate.
    var tlsFiles: TLSFiles { TLSFiles(certificate: "\(path)/certificate.pem", key: "\(path)/key.pem") }

    /// Writes a certificate and its key to the files.
    func install(_ certificate: TestCertificate) throws {
        try write(certificate.key, to: "key.pem")
        try write(certificate.certificate, to: "certificate.pem")
    }
}

extension Service {
    /// Connects to the port with TLS, as a client that trusts one certificate.
    ///
    /// - Parameter end: Receives the error that ends the connection.
    func connect(
        trusting certificate: TestCertificate, maxVersion: TLSVersion? = nil, noting end: TLSEnd = TLSEnd()
    ) async throws -> WireConnection {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates(
            try NIOSSLCertificate.fromPEMBytes(Array(certificate.certificate.utf8)))
        configuration.minimumTLSVersion = .tlsv1
        configuration.maximumTLSVersion = maxVersion
        let context = try NIOSSLContext(configuration: configuration)
        return try await WireConnection(port: tcpPort) { pipeline in
            try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: "localhost"))
            try pipeline.addHandler(TLSEndHandler(end))
        }
    }

    /// Whether the service answers a client that trusts only this certificate.
    func serves(_ certificate: TestCertificate, maxVersion: TLSVersion? = nil) async -> Bool {
        guard let connection = try? await connect(trusting: certificate, maxVersion: maxVersion) else { return false }
        let isServed = await connection.isAnswered
        await connection.close()
        return isServed
    }
}

extension WireConnection {
    /// A request that needs no proof.
    static let request = "GET /v1/version HTTP/1.1\r\nHost: localhost\r\n\r\n"

    /// Whether the service answers the request correctly.
    var isAnswered: Bool {
        get async {
            try? await send(Self.request)
            return await answer()?.status == 200
        }
    }
}

/// The end of a connection with TLS.
final class TLSEnd: Sendable {
    private let first = Mutex<(any Error)?>(nil)

    /// The first error; nil while there is none.
    var error: (any Error)? { first.withLock { $0 } }

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
