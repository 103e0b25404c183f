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

/// The WebSocket sessions of the database: their admission and their event loops.
package final class WebSocketSessions: Sendable {
    /// The time between pings, in seconds.
    private static let pingSeconds = 30

    private let admission: Admission
    private let access: DatabaseAccess
    private let `guard`: SiteGuard
    private let patience: TimeAmount
    private let lag: Timer
    private let loops = Mutex<[ObjectIdentifier: WebSocketLoop]>([:])
    private let connections = Mutex<[String: NIOLoopBound<WebSocketConnection>]>([:])

    /// - Parameters:
    ///   - guard: Refuses pages of other sites.
    ///   - patience: The longest time for a client to read a piece of a long message.
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

    /// Returns the owner that takes the connection of a WebSocket request over; nobody if the request is not admitted.
    package func owner(for request: HTTPRequest, from client: ClientConnection) -> TakeoverHandler.Choice {
        guard let admitted = try? admit(request, from: client), let id = try? RandomText.make(bytes: 16) else {
            return .nobody
        }
        return .opened { eventLoop in WebSocketConnection(admitted, on: self.loop(of: eventLoop), id: id) }
    }

    /// Admits a request.
    ///
    /// Apart from the socket by which it arrives, the request's credentials are ignored: clients send theirs in
    /// messages.
    ///
    /// - Throws: `Failure` with the code `upgrade_required`, `foreign_host`, `cross_site`, `not_encrypted`, `permission_denied`,
    ///   `invalid_namespace` or `too_many_requests`.
    func admit(_ request: HTTPRequest, from client: ClientConnection) throws(Failure) -> AdmittedSocket {
        guard let handshake = WebSocketHandshake(request) else {
            throw Failure(
                .upgradeRequired, "this is a WebSocket of the database (RFC 6455, version 13)",
                hint: "Open it with a client of the Realtime Database, or read /PATH.json.")
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

    /// Returns the name of the requested database; nil for the name that SDKs send if the address has none: the first
    /// label of the host, be it `localhost` or the first number of an IP address.
    private static func name(_ name: String?, host: String?) -> String? {
        guard let name, !name.isEmpty, name != "localhost" else { return nil }
        guard name.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let host, host.hasPrefix("\(name).") else {
            return name
        }
        return nil
    }

    /// Returns the name of a session; nil if the text cannot be one.
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

    // MARK: Sessions and loops

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

    /// Ends a session, if it is open.
    func end(_ id: String) {
        guard let bound = connections.withLock({ $0[id] }) else { return }
        bound.eventLoop.execute { bound.value.close(.goingAway) }
    }
}

/// An admitted request for a WebSocket.
struct AdmittedSocket: Sendable {
    let handshake: WebSocketHandshake
    /// The host that the client has connected to, as it reports it.
    let host: String
    let namespace: Namespace
    /// The identity of the session until its client authenticates.
    let proof: Proof
    /// The previous session of the client.
    let previousSession: String?
    let database: RealtimeDatabase
    fileprivate let admission: Admission
    fileprivate let credentials: Credentials
    fileprivate let stranger: LimitedClient?
    /// The network of the client, by which its writes are counted until it authenticates.
    let network: [UInt8]
    /// Counts the session while it is open.
    fileprivate let lease: ClientLimiter.Lease?
    /// Lists the session while it is open.
    let ticket: OpenStreams.Ticket

    /// Whether a proof is still valid.
    func isProved(_ proof: Proof) -> Bool { (try? admission.access.recheck(proof)) != nil }

    /// Verifies a credential; an unknown key of another issuer is fetched.
    ///
    /// - Returns: The proof; nil if it cannot be determined now.
    /// - Throws: ``AccessError`` for an invalid credential.
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

    /// Returns the limits on a client's messages; nil for a client without limits.
    func limits(of proof: Proof) -> Activities? {
        guard let stranger, proof.identity != .admin else { return nil }
        return Activities(
            limiter: admission.limiter, client: proof.identity.uid.map(LimitedClient.user) ?? stranger)
    }
}
