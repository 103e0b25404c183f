import API
import Access
package import CoreMetrics
import Cryptography
import Database
package import HTTPTypes
import HummingbirdCore
package import NIOCore
package import Requests
import Synchronization
package import Transport
import Tree

/// All WebSocket sessions of the database: whom they let in, and where they are.
package final class WebSocketSessions: Sendable {
    /// How often a session is asked whether its client is there.
    private static let pingSeconds = 30

    private let admission: Admission
    private let access: DatabaseAccess
    private let `guard`: SiteGuard
    private let patience: TimeAmount
    private let lag: Timer
    private let loops = Mutex<[ObjectIdentifier: WebSocketLoop]>([:])
    private let connections = Mutex<[String: NIOLoopBound<WebSocketConnection>]>([:])

    /// - Parameters:
    ///   - guard: What keeps pages of other sites away.
    ///   - patience: How long a client may take for a piece of a long message.
    ///   - lag: Records the time from a commit until its event was handed to the connections.
    package init(
        _ admission: Admission, _ access: DatabaseAccess, _ guard: SiteGuard, patience: TimeAmount,
        lag: Timer
    ) {
        self.lag = lag
        self.admission = admission
        self.access = access
        self.guard = `guard`
        self.patience = patience
    }

    /// Who takes the connection of a request for a WebSocket over; nobody when it is not let in.
    package func owner(for request: HTTPRequest, from client: ClientConnection) -> TakeoverHandler.Choice {
        guard let admitted = try? admit(request, from: client), let id = try? RandomText.make(bytes: 16) else {
            return .nobody
        }
        return .opened { eventLoop in WebSocketConnection(admitted, on: self.loop(of: eventLoop), id: id) }
    }

    /// Lets a request in.
    ///
    /// What it shows of who sends it counts for nothing but the socket that it comes by: clients show that in messages.
    ///
    /// - Throws: `Failure` with the code `upgrade_required`, `foreign_host`, `cross_site`, `not_encrypted`, `permission_denied`,
    ///   `invalid_namespace` or `too_many_requests`.
    func admit(_ request: HTTPRequest, from client: ClientConnection) throws(Failure) -> AdmittedSocket {
        guard let handshake = WebSocketHandshake(request) else {
            throw Failure(
                .upgradeRequired, "this is a WebSocket of the database (RFC 6455, version 13)",
                hint: "open it with a client of the Realtime Database, or read /PATH.json")
        }
        try `guard`.checkSocket(request, from: client)
        let parameters = try DatabaseParameters(query: URI(request.path ?? "").query)
        let namespace = try access.namespaces.namespace(
            named: Self.name(parameters.namespace, host: request.authority), host: request.authority)
        var credentials = Credentials(of: request, from: client)
        (credentials.token, credentials.override, credentials.actingFor) = (nil, nil, nil)
        let proof: Proof
        do {
            proof = try admission.access.proof(for: credentials)
        } catch {
            throw Failure(error)
        }
        var lease: ClientLimiter.Lease?
        let stranger = admission.limitedClient(proof, request, from: client)
        if let stranger {
            try admission.limiter.countRequest(of: stranger)
            lease = try admission.limiter.begin(.stream, of: stranger)
        }
        return AdmittedSocket(
            handshake: handshake, host: request.authority ?? "localhost", namespace: namespace, proof: proof,
            previousSession: parameters.previousSession.flatMap(Self.sessionID), database: access.database,
            admission: admission, credentials: credentials, stranger: stranger,
            network: LimitedClient.network(of: client.address(of: request)), lease: lease,
            ticket: admission.open.add(
                .session, request.path, by: proof, from: client.address(of: request)))
    }

    /// What SDKs send as the name of a database whose address has none: they take the first label of the host, be it
    /// `localhost` or the first number of an IP address.
    private static func name(_ name: String?, host: String?) -> String? {
        guard let name, !name.isEmpty, name != "localhost" else { return nil }
        guard name.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let host, host.hasPrefix("\(name).") else {
            return name
        }
        return nil
    }

    /// The name of a session, if it can be one.
    private static func sessionID(_ text: String) -> String? {
        let isID = text.utf8.count == 22 && text.utf8.allSatisfy(isBase64URL)
        return isID ? text : nil
    }

    private static func isBase64URL(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }

    // MARK: Where they are

    private func loop(of eventLoop: any EventLoop) -> WebSocketLoop {
        loops.withLock { loops in
            let id = ObjectIdentifier(eventLoop)
            if let loop = loops[id] { return loop }
            let loop = WebSocketLoop(
                eventLoop, of: self, pingSeconds: Self.pingSeconds, patience: patience, lag: lag)
            loops[id] = loop
            return loop
        }
    }

    func add(_ connection: WebSocketConnection, eventLoop: any EventLoop) {
        let bound = NIOLoopBound(connection, eventLoop: eventLoop)
        connections.withLock { $0[connection.id] = bound }
    }

    func remove(_ connection: WebSocketConnection) { connections.withLock { $0[connection.id] = nil } }

    /// Ends a session, if it is there.
    func end(_ id: String) {
        guard let bound = connections.withLock({ $0[id] }) else { return }
        bound.eventLoop.execute { bound.value.close(.goingAway) }
    }
}

/// A request for a WebSocket that was let in.
struct AdmittedSocket: Sendable {
    let handshake: WebSocketHandshake
    /// Where the client has connected to, as it says.
    let host: String
    let namespace: Namespace
    /// Whom the session acts as until its client shows who it is.
    let proof: Proof
    /// The session that the client had before.
    let previousSession: String?
    let database: RealtimeDatabase
    fileprivate let admission: Admission
    fileprivate let credentials: Credentials
    fileprivate let stranger: LimitedClient?
    /// The network that it comes from, by which its writes are counted while no more is known of it.
    let network: [UInt8]
    /// What counts the session, as long as it is there.
    fileprivate let lease: ClientLimiter.Lease?
    /// What lists the session, as long as it is there.
    let ticket: OpenStreams.Ticket

    /// Whether what lets the client in is good still.
    func isProved(_ proof: Proof) -> Bool { (try? admission.access.recheck(proof)) != nil }

    /// What a credential proves; a key of another issuer that is not known yet is asked for.
    ///
    /// - Returns: Nil when it cannot be told now.
    /// - Throws: ``AccessError`` for a credential that is not good.
    func proof(of credential: RealtimeCredential) async throws(AccessError) -> Proof? {
        var credentials = credentials
        credentials.token = credential.token
        credentials.override = credential.override
        do throws(AccessError) {
            return try admission.access.proof(for: credentials)
        } catch {
            guard case .unknownKey = error else { throw error }
            guard await admission.access.refreshKeys(after: error) else { throw error }
        }
        do throws(AccessError) {
            return try admission.access.proof(for: credentials)
        } catch {
            guard case .unknownKey = error else { throw error }
            return nil
        }
    }

    /// What counts the messages of a client; nil for whoever has no limits.
    func limits(of proof: Proof) -> Activities? {
        guard let stranger, proof.identity != .admin else { return nil }
        return Activities(
            limiter: admission.limiter, client: proof.identity.uid.map(LimitedClient.user) ?? stranger)
    }
}
