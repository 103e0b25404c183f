import Database
import Requests

/// The lines that show the operator the addresses of the service.
struct ListenerAnnouncement: Sendable {
    private let scheme: String
    private let isEmulator: Bool
    private let storagePath: String
    /// The address at which people reach the service; nil if it is that of the listener.
    private let publicOrigin: String?
    /// The code of the first setup; nil if it is not offered.
    private let setupCode: String?
    private let announce: @Sendable (String) -> Void

    init(
        _ settings: HTTPServer.Settings, storagePath: String, setupCode: String?,
        announce: @escaping @Sendable (String) -> Void
    ) {
        publicOrigin = settings.publicURL?.origin
        self.setupCode = setupCode
        scheme = settings.tls == nil ? "http" : "https"
        isEmulator = settings.database.isEmulator
        self.storagePath = storagePath
        self.announce = announce
    }

    /// Announces an address at which the server has begun to listen.
    func listener(_ listener: HTTPServer.Listener) {
        switch listener {
        case .socket(let path):
            announce("listening on \(path); drop photos into \(storagePath)/inbox/USER/")
        case .tcp(let host, let port):
            let authority = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
            announce("listening on \(scheme)://\(authority)/")
            if let setupCode {
                let isAnywhere = ["::", "0.0.0.0"].contains(host)
                let own = "\(scheme)://\(isAnywhere ? "localhost:\(port)" : authority)"
                announce("first run: \(publicOrigin ?? own)/setup#\(setupCode)")
            }
            if isEmulator { announce("for database clients: FIREBASE_DATABASE_EMULATOR_HOST=\(host):\(port)") }
        }
    }
}
