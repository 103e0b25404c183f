import Access
import Accounts
import Files
import Logging
import Store
import Transport

/// The settings of the process as a whole; those of its parts are in the parts' own types.
struct ServiceSettings: Sendable {
    var storage = ""
    var engine = StorageFolder.TreeEngine.sqlite
    /// The file whose content grants access to the database over TCP; empty for none.
    var databaseSecretFile = ""
    /// The users of the system who may use the Unix socket, in addition to the service's own.
    var socketUsers = ""
    /// The ways in which anyone may create an account; nil when the operator has not chosen.
    var signUp: SignUpMethods?
    /// The Firebase projects whose ID tokens are accepted.
    var firebaseProjects: [IssuerSettings] = []
    /// The file that names other issuers of ID tokens; empty for none.
    var issuersFile = ""
    /// The files of the service accounts whose custom tokens are accepted.
    var serviceAccounts: [String] = []
    /// The files of the TLS certificate and of its key; empty for none.
    var tlsCertificate = ""
    var tlsKey = ""
    /// The header field in which proxies report the client.
    var proxyField = TrustedProxies.Announcement.xForwardedFor
    /// Whether proxies report the client in a PROXY header.
    var readsProxyHeader = false
    /// The file of the icon; empty for the one that is part of the program.
    var iconFile = ""
    var renderMode = RenderMode.isolated
    var logLevel = Logger.Level.info
    var logFormat = LogFormat.text
    /// The place of the access log; nil for none.
    var accessLog: LineFile.Place?
}
