import Access
import Accounts
import Cryptography
import Database
import Imaging
import Inbox
import Model
import Requests
import Server
import Service
import Transport
import Tree
import Uploads

extension Configuration {
    /// The settings of the pipeline and of all its parts.
    func pipelineSettings() throws -> PipelineSettings {
        try applying(Settings.all, to: PipelineSettings(workers: 1))
    }

    /// Returns the settings of a running pipeline, with the live settings replaced by those of this configuration.
    func liveSettings(of running: PipelineSettings) throws -> PipelineSettings {
        try applying(Settings.all.filter(\.isLive), to: running)
    }

    private func applying(_ settings: [any Setting], to pipeline: PipelineSettings) throws -> PipelineSettings {
        var pipeline = pipeline
        try store(settings, in: &pipeline)
        try store(settings, in: &pipeline.limits)
        try store(settings, in: &pipeline.retention)
        return pipeline
    }

    /// The limits on the cost of a photo.
    func imageLimits() throws -> ImageLimits { try settings(ImageLimits()) }

    /// The number and the age of the changes that the change log keeps.
    func changeRetention() throws -> ChangeRetention { try settings(ChangeRetention()) }

    func inboxSettings() throws -> InboxWatcher.Settings { try settings(InboxWatcher.Settings()) }

    /// Returns the settings of the HTTP server, without those of the database and the reload.
    ///
    /// - Throws: `ConfigurationError` when there is a public address but no port for the proxy to reach, or when
    ///   passwords and tokens would cross a network unencrypted.
    func httpSettings(socketPath: String) throws -> HTTPServer.Settings {
        var http = try settings(HTTPServer.Settings(socketPath: socketPath))
        http.tls = try tlsFiles()
        http.limits = try settings(ClientLimits())
        http.proxies?.announcement = try value(\.proxyField)
        if try value(\.readsProxyHeader) {
            guard http.proxies != nil else {
                throw ConfigurationError("proxy-header has no effect without behind-proxy, which names the proxies")
            }
            http.proxies?.announcement = .header
        }
        if let listen = http.listen, !listen.isLoopback, http.tls == nil, http.proxies == nil {
            throw ConfigurationError(
                """
                \(listen) can be reached from other machines, which would send passwords and tokens unencrypted; give \
                --tls-certificate and --tls-key, or --behind-proxy with the address of a proxy that terminates TLS
                """)
        }
        if http.publicURL != nil, http.listen == nil {
            throw ConfigurationError(
                "public-url needs TCP; set the port that the proxy reaches, such as --listen 127.0.0.1:8080")
        }
        return http
    }

    /// The address at which apps reach the service; nil when it has no public address, so that addresses in posts have
    /// no host.
    func publicBase() throws -> PublicBase? {
        let project = try value(\.namespace, of: DatabaseSettings())
        return try value(\.publicURL, of: HTTPServer.Settings(socketPath: ""))?.publicBase(ofProject: project)
    }

    /// Returns the settings of accounts.
    ///
    /// - Throws: `ConfigurationError`.
    func identitySettings() throws -> IdentitySettings {
        let http = try settings(HTTPServer.Settings(socketPath: ""))
        var identity = IdentitySettings(actionURL: "\(try AccountChoices(self).origin())/account")
        identity.isEmulator = try settings(DatabaseSettings()).isEmulator
        identity.origin = http.publicURL?.origin
        identity.signUp = try AccountChoices(self).signUp(isReached: http.reach != nil)
        if let host = http.publicURL?.host { identity.authorizedDomains.append(host) }
        return identity
    }

    private func tlsFiles() throws -> TLSFiles? {
        let (certificate, key) = (try value(\.tlsCertificate), try value(\.tlsKey))
        guard certificate.isEmpty == key.isEmpty else {
            throw ConfigurationError("tls-certificate and tls-key belong together: give both, or neither")
        }
        return certificate.isEmpty ? nil : TLSFiles(certificate: certificate, key: key)
    }

    /// Returns the settings of the database's protocol.
    ///
    /// - Throws: `ConfigurationError` when a setting needs TCP and no port is set.
    func databaseSettings() throws -> DatabaseSettings {
        let database = try settings(DatabaseSettings())
        let hasSecret = try !value(\.databaseSecretFile).isEmpty
        guard database.isEmulator || hasSecret else { return database }
        let http = try settings(HTTPServer.Settings(socketPath: ""))
        guard http.listen != nil else {
            let name = database.isEmulator ? "emulator" : "database-secret"
            throw ConfigurationError("\(name) needs TCP; set a port, such as --listen 127.0.0.1:9000")
        }
        guard database.isEmulator else { return database }
        if let reach = http.reach {
            throw ConfigurationError("emulator lets every client act as any user, and \(reach); leave one out")
        }
        return database
    }

    /// Returns the settings of access control.
    ///
    /// - Parameter warn: Called with warnings for the operator.
    /// - Throws: `ConfigurationError` when a file cannot be used, or names a user that the system does not have.
    func accessSettings(warn: (String) -> Void) throws -> AccessControl.Settings {
        let peers: PeerPolicy
        do {
            peers = try PeerPolicy(try value(\.socketUsers))
        } catch let error as KeyError {
            throw ConfigurationError("socket-users: \(error)")
        }
        var access = AccessControl.Settings(peers: peers)
        access.isEmulator = try settings(DatabaseSettings()).isEmulator
        let path = try value(\.databaseSecretFile)
        guard !path.isEmpty else { return access }
        let file = try SecretFile(path: path, of: "the database's secret")
        access.secrets = [Secret(file.text)]
        if let warning = file.warning { warn(warning) }
        return access
    }
}

extension HTTPServer.Settings {
    /// The reason why other machines reach the service, in words that follow "for"; nil when none does.
    var reach: String? {
        if let listen, !listen.isLoopback { return "\(listen) can be reached from other machines" }
        if proxies != nil { return "a proxy of behind-proxy forwards requests of other machines" }
        return publicURL == nil ? nil : "public-url publishes the service to other machines"
    }
}
