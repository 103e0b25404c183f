import Database

/// The lines that show the operator the addresses of the service.
struct ListenerAnnouncement: Sendable {
    private let scheme: String
    private let isEmulator: Bool
    private let storagePath: String
    private let announce: @Sendable (String) -> Void

    init(_ settings: HTTPServer.Settings, storagePath: String, announce: @escaping @Sendable (String) -> Void) {
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
            if isEmulator { announce("for database clients: FIREBASE_DATABASE_EMULATOR_HOST=\(host):\(port)") }
        }
    }
}
