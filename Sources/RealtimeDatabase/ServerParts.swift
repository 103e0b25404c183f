import API
import Access
import CoreMetrics
import Cryptography
import Database
import DatabaseHTTP
import Files
import Foundation
import Requests
import Transport

/// The parts of a server that its configuration decides about.
struct ServerParts: Sendable {
    let address: ListenAddress
    /// The trusted proxies; nil for none.
    let proxies: TrustedProxies?
    let spool: ResponseSpool
    let audit: AuditLog
    let limiter = ClientLimiter(ClientLimits())
    private let access: AccessControl
    private let names: HostNames
    private let origins: AllowedOrigins
    private let configuration: DatabaseServerConfiguration

    /// - Throws: `Failure` for an address, a proxy, an origin or a secret that cannot be used; `FileError` for the temporary
    ///   folder.
    init(_ configuration: DatabaseServerConfiguration) throws {
        self.configuration = configuration
        let host = configuration.host.contains(":") ? "[\(configuration.host)]" : configuration.host
        address = try ListenAddress("\(host):\(configuration.port)")
        proxies = try Self.proxies(configuration.trustedProxies)
        guard address.isLoopback || configuration.tls != nil || proxies != nil else {
            throw Failure(
                .badAddress, "other machines reach \(address), and nothing encrypts their connections",
                hint: "Configure a certificate, or listen at 127.0.0.1 behind a proxy.")
        }
        guard let origins = AllowedOrigins(parsing: configuration.allowedOrigins.joined(separator: " ")) else {
            throw Failure(
                .badRequest, "an allowed origin is malformed",
                hint: "Write it as https://photos.example.")
        }
        self.origins = origins
        names = HostNames(publicHost: configuration.publicHost?.lowercased())
        var settings = AccessControl.Settings(peers: try PeerPolicy())
        settings.secrets = configuration.secrets.map(Secret.init)
        access = AccessControl(settings, authority: nil)
        audit = AuditLog(configuration.logger)
        spool = ResponseSpool(in: try Directory(path: configuration.temporaryFolder))
    }

    /// Returns the proxies of a configuration; nil for none.
    private static func proxies(_ addresses: [String]) throws -> TrustedProxies? {
        if addresses.isEmpty { return nil }
        guard let proxies = TrustedProxies(parsing: addresses.joined(separator: " ")) else {
            throw Failure(
                .badAddress, "a trusted proxy is malformed, or its network contains strangers",
                hint: "Write it as 127.0.0.1 or 10.0.0.0/24.")
        }
        return proxies
    }

    /// Returns the application that answers requests for a database.
    func application(of database: RealtimeDatabase) -> DatabaseApplication {
        let settings = DatabaseSettings()
        let admission = Admission(access: access, limiter: limiter, open: OpenStreams())
        return DatabaseApplication(
            DatabaseAccess(settings, to: database, publicHost: names.publicHost), admission, audit,
            siteGuard: SiteGuard(names: names, origins: origins, proxyWarning: ProxyWarning()), origins: origins,
            responses: ResponseMiddleware(
                words: .database, logger: configuration.logger, audit: audit, admission: admission),
            keepAlive: settings.keepAlive, patience: SlowReaderHandler.Pace().time, metrics: NOOPMetricsHandler.instance
        )
    }
}
