public import Logging

/// The choices about a ``DatabaseServer``.
public struct DatabaseServerConfiguration: Sendable {
    /// The files that prove the server's identity, in PEM. Replaced files are read again within seconds.
    public struct TLS: Sendable {
        /// The path of the certificate, followed by those of its authorities.
        public var certificateFile: String
        /// The path of the certificate's private key.
        public var keyFile: String

        /// Names the files of a certificate.
        ///
        /// - Parameters:
        ///   - certificateFile: The path of the certificate, followed by those of its authorities.
        ///   - keyFile: The path of the certificate's private key.
        public init(certificateFile: String, keyFile: String) {
            self.certificateFile = certificateFile
            self.keyFile = keyFile
        }
    }

    /// The IP address to listen at. An address that other machines reach needs ``tls`` or ``trustedProxies``.
    public var host: String
    /// The port to listen at; 0 lets the system choose.
    public var port: Int
    /// The certificate of the server; nil for connections without encryption.
    public var tls: TLS?
    /// The host name by which clients address the server; nil for none.
    ///
    /// A request whose `Host` is another name is refused, unless it is `localhost` or the IP address at which the
    /// request arrives.
    public var publicHost: String?
    /// The IP addresses and networks of the proxies in front of the server, such as `127.0.0.1` and `10.0.0.0/24`. The server
    /// believes what these report about a client's address in the header field `X-Forwarded-For`. Limits then apply to each
    /// client; without this setting all clients of a proxy on this machine count as programs on this machine, which have
    /// no limits.
    public var trustedProxies: [String] = []
    /// The database secrets. A client with a secret may do everything. Tokens that are signed with a secret of at least
    /// 32 bytes (HS256) prove users.
    public var secrets: [String] = []
    /// The origins of web pages that may use the database, such as `https://photos.example`; `*` alone stands for all.
    public var allowedOrigins: [String] = []
    /// The folder for the files that hold long responses until slow clients have read them. The files have no names.
    public var temporaryFolder = "/tmp"
    /// The log of refused and failed requests.
    public var logger = Logger(label: "RealtimeDatabase")

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - host: The IP address to listen at.
    ///   - port: The port to listen at; 0 lets the system choose.
    public init(host: String = "127.0.0.1", port: Int = 9000) {
        self.host = host
        self.port = port
    }
}
