import NIOCore
import NIOSSL
import Synchronization
import TestSupport
import Transport

extension Scratch {
    /// The files that a service in this folder has its certificate from.
    var tlsFiles: TLSFiles { TLSFiles(certificate: "\(path)/certificate.pem", key: "\(path)/key.pem") }

    /// Puts a certificate and its key in place.
    func install(_ certificate: TestCertificate) throws {
        try write(certificate.key, to: "key.pem")
        try write(certificate.certificate, to: "certificate.pem")
    }
}

extension Service {
    /// Connects to the port with TLS, by a certificate that the client knows.
    ///
    /// - Parameter end: Is told how the connection ends.
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

    /// Whether a client that knows only this certificate is answered.
    func serves(_ certificate: TestCertificate, maxVersion: TLSVersion? = nil) async -> Bool {
        guard let connection = try? await connect(trusting: certificate, maxVersion: maxVersion) else { return false }
        let isServed = await connection.isAnswered
        await connection.close()
        return isServed
    }
}

extension WireConnection {
    /// A request that everybody may send.
    static let request = "GET /v1/version HTTP/1.1\r\nHost: localhost\r\n\r\n"

    /// Sends that request; whether it is answered as it should be.
    var isAnswered: Bool {
        get async {
            try? await send(Self.request)
            return await answer()?.status == 200
        }
    }
}

/// How a connection with TLS came to its end.
final class TLSEnd: Sendable {
    private let first = Mutex<(any Error)?>(nil)

    /// What went wrong; nil while nothing has.
    var error: (any Error)? { first.withLock { $0 } }

    func note(_ error: any Error) { first.withLock { $0 = $0 ?? error } }
}

/// Notes what goes wrong on a connection, and passes it on.
private final class TLSEndHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let end: TLSEnd

    init(_ end: TLSEnd) { self.end = end }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end.note(error)
        context.fireErrorCaught(error)
    }
}
