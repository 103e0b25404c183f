import NIOSSL
import TestSupport
import Transport

extension Scratch {
    /// The files from which a service in this folder reads its certificate.
    var tlsFiles: TLSFiles { TLSFiles(certificate: "\(path)/certificate.pem", key: "\(path)/key.pem") }
}

extension Service {
    /// Connects to the port with TLS, as a client that trusts one certificate.
    ///
    /// - Parameter end: Receives the error that ends the connection.
    func connect(
        trusting certificate: TestCertificate, maxVersion: TLSVersion? = nil, noting end: TLSEnd = TLSEnd()
    ) async throws -> WireConnection {
        try await WireConnection(port: tcpPort, trusting: certificate, maxVersion: maxVersion, noting: end)
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
