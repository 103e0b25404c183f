import Access
import Logging
import Store
import Transport

/// The settings that concern the process as a whole; those of its parts are in the parts' own types.
struct ServiceSettings: Sendable {
    var storage = ""
    var engine = StorageFolder.TreeEngine.sqlite
    /// The file whose content opens the database over TCP; empty for none.
    var databaseSecretFile = ""
    /// The users of the system who may use the Unix socket, besides the service's own.
    var socketUsers = ""
    /// The ways in which anybody may make an account; nil where nobody has chosen.
    var signUp: SignUpMethods?
    /// The projects of Firebase's whose ID tokens are believed.
    var firebaseProjects: [IssuerSettings] = []
    /// The file that names other issuers of ID tokens; empty for none.
    var issuersFile = ""
    /// The files of the service accounts whose custom tokens are believed.
    var serviceAccounts: [String] = []
    /// The files of the TLS certificate and of its key; empty for none.
    var tlsCertificate = ""
    var tlsKey = ""
    /// The field in which proxies say who the client is.
    var proxyField = TrustedProxies.Announcement.xForwardedFor
    /// Whether proxies say in a PROXY header who the client is.
    var readsProxyHeader = false
    var renderMode = RenderMode.isolated
    var logLevel = Logger.Level.info
    var logFormat = LogFormat.text
}
