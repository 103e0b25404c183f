package import API
package import Access
import HTTPTypes
package import Hummingbird
import Logging
import NIOCore
package import Transport
import Tree

/// The context of a request, for its handler.
package struct HTTPContext: Hummingbird.RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The connection of the request, with its facts about the client.
    package let client: ClientConnection
    /// The identity that the request acts as, and its proof.
    package var proof = Proof.anonymous
    /// Counts the sender's activities; nil for a sender without limits.
    package var activities: Activities?
    /// The fields of the query, as the operation declares them.
    package var query = RequestFields.none
    /// The sender of the request, as admission determines it.
    package let sender = Sender()
    /// The identifier of the request in the log.
    package let trace: String
    /// The work that the photo API does for the request after the response.
    package let followUp = AfterResponse()
    private let channel: any Channel

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        trace = source.logger[metadataKey: "hb.request.id"].map { "\($0)" } ?? RequestID().description
        channel = source.channel
        client = ClientConnection.current ?? .unknown
    }

    /// Whether the request arrived by the Unix socket, whose file mode controls access; false for TCP, which every
    /// program and every web page on this machine can reach.
    package var isTrusted: Bool { client.isLocal }

    /// Returns the request with a body that asks the client to continue, if it waits for that, when the body is read.
    package func asking(_ request: Request) -> Request {
        guard request.headers[.expect] != nil else { return request }
        var request = request
        request.body = RequestBody(asyncSequence: ContinueAwaitingBody(body: request.body, channel: channel))
        return request
    }

    /// Sends an interim response while the request is still arriving (RFC 9110 §15.2), to a client that is known to
    /// support it. It is not sent to a client of HTTP/1.0, or once the final response has begun.
    package func sendInterim(_ status: HTTPResponse.Status, _ headers: HTTPFields) {
        channel.triggerUserOutboundEvent(InterimResponse(status: status, headers: headers), promise: nil)
    }

    /// Counts an activity until the returned lease is released; nil where there is no limit.
    ///
    /// - Throws: `Failure` with the code `too_many_requests`.
    package func begin(_ activity: ClientLimiter.Activity) throws(Failure) -> ClientLimiter.Lease? {
        guard let activities else { return nil }
        return try activities.limiter.begin(activity, of: activities.client)
    }

    /// Refuses a read of a client that has exceeded its limit of reads.
    ///
    /// - Throws: `Failure` with the code `too_many_requests`.
    package func checkReads() throws(Failure) {
        if let activities { try activities.limiter.checkReads(of: activities.client) }
    }

    /// Runs work whose reads count for the sender.
    package func reading<Value>(_ work: () async throws -> Value) async throws -> Value {
        try await ReadingClient.read(for: activities?.reader, work)
    }

    /// The identity that the request acts as.
    package var identity: Identity { proof.identity }

    /// Refuses the request unless it is from an admin.
    ///
    /// - Throws: `Failure` with the code `admin_only`.
    package func requireAdmin(for what: String) throws(Failure) {
        guard identity == .admin else {
            throw Failure(
                .adminOnly, "\(what) is for admins",
                hint: "Use the Unix socket, as the service's user, or an admin key.")
        }
    }

    /// Refuses the request unless it is from an admin, or from a program on this machine.
    ///
    /// - Throws: `Failure` with the code `admin_only`.
    package func requireAdminOrThisMachine(sending request: Request, for what: String) throws(Failure) {
        guard identity == .admin || client.isOnThisMachine(sending: request.head) else {
            throw Failure(
                .adminOnly, "\(what) is for admins, and for programs on the service's machine",
                hint: "Send it from there, or with an admin key.")
        }
    }

    /// Refuses the request unless it is from a proven admin, because its effect outlasts an emulator, whose admins have
    /// no proof.
    ///
    /// - Throws: `Failure` with the code `admin_only`.
    package func requireProvenAdmin(for what: String) throws(Failure) {
        try requireAdmin(for: what)
        guard proof.kind != .emulator else {
            throw Failure(
                .adminOnly, "\(what) is for admins with proof, because it outlasts an emulator",
                hint: "Use the Unix socket, as the service's user, or an admin key.")
        }
    }
}
