package import API
package import Access
import HTTPTypes
package import Hummingbird
import Logging
import NIOCore
package import Transport
import Tree

/// What a request's handler knows beside the request.
package struct HTTPContext: Hummingbird.RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// What the request's connection shows of its client.
    package let client: ClientConnection
    /// What lets the request in, and as whom.
    package var proof = Proof.anonymous
    /// What counts how much the sender has of something at a time; nil for whoever has no limits.
    package var activities: Activities?
    /// The fields of the query, as the operation declares them.
    package var query = RequestFields.none
    /// By which the request is found in the log.
    package let trace: String
    /// What the photo API does for the request once it is answered.
    package let followUp = AfterResponse()
    private let channel: any Channel

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        trace = source.logger[metadataKey: "hb.request.id"].map { "\($0)" } ?? RequestID().description
        channel = source.channel
        client = ClientConnection.current ?? .unknown
    }

    /// Whether the request came through the Unix socket, whose file mode says who may use it; false for TCP, which every
    /// program and every web page on this machine can reach.
    package var isTrusted: Bool { client.isLocal }

    /// A request whose body is to be read: a client that waits to be asked for the body is asked when it is.
    package func asking(_ request: Request) -> Request {
        guard request.headers[.expect] != nil else { return request }
        var request = request
        request.body = RequestBody(asyncSequence: ContinueAwaitingBody(body: request.body, channel: channel))
        return request
    }

    /// Tells the client something before the answer, while its request is still coming (RFC 9110 §15.2): only one that is
    /// known to understand it. Nothing is sent to a client of HTTP/1.0, nor once the answer has begun.
    package func sendInterim(_ status: HTTPResponse.Status, _ headers: HTTPFields) {
        channel.triggerUserOutboundEvent(InterimResponse(status: status, headers: headers), promise: nil)
    }

    /// Counts something that goes on for a while, until what is returned goes; nil where there is no limit.
    ///
    /// - Throws: `Failure` with the code `too_many_requests`.
    package func begin(_ activity: ClientLimiter.Activity) throws(Failure) -> ClientLimiter.Lease? {
        guard let activities else { return nil }
        return try activities.limiter.begin(activity, of: activities.client)
    }

    /// Refuses a read of a client for whom too much has been read.
    ///
    /// - Throws: `Failure` with the code `too_many_requests`.
    package func checkReads() throws(Failure) {
        if let activities { try activities.limiter.checkReads(of: activities.client) }
    }

    /// Does work whose reads count to the sender.
    package func reading<Value>(_ work: () async throws -> Value) async throws -> Value {
        try await ReadingClient.read(for: activities?.reader, work)
    }

    /// The identity that the request acts as.
    package var identity: Identity { proof.identity }

    /// Refuses what only an admin may ask for.
    ///
    /// - Throws: `Failure` with the code `admin_only`.
    package func requireAdmin(for what: String) throws(Failure) {
        guard identity == .admin else {
            throw Failure(
                .adminOnly, "\(what) is for admins",
                hint: "ask through the Unix socket, as the service's user, or with an admin key")
        }
    }

    /// Refuses what only an admin may ask for, or a program of this machine.
    ///
    /// - Throws: `Failure` with the code `admin_only`.
    package func requireAdminOrThisMachine(sending request: Request, for what: String) throws(Failure) {
        guard identity == .admin || client.isOnThisMachine(sending: request.head) else {
            throw Failure(
                .adminOnly, "\(what) is for admins, and for programs on the service's machine",
                hint: "ask there, or with an admin key")
        }
    }

    /// Refuses what only an admin may ask for, and what lasts longer than an emulator, whose admins prove nothing.
    ///
    /// - Throws: `Failure` with the code `admin_only`.
    package func requireProvenAdmin(for what: String) throws(Failure) {
        try requireAdmin(for: what)
        guard proof.kind != .emulator else {
            throw Failure(
                .adminOnly, "\(what) is for admins who prove it, for it lasts longer than an emulator",
                hint: "ask through the Unix socket, as the service's user, or with an admin key")
        }
    }
}
