import API
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// What a request's handler knows beside the request.
struct RequestContext: Hummingbird.RequestContext {
    var coreContext: CoreRequestContextStorage
    /// What the request's connection shows of its client.
    let client: ClientConnection
    /// The fields of the query, as the operation declares them.
    var query = FormFields.none
    /// By which the request is found in the log.
    let trace: String
    private let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        trace = source.logger[metadataKey: "hb.request.id"].map { "\($0)" } ?? RequestID().description
        channel = source.channel
        client = ClientConnection.current ?? .unknown
    }

    /// Whether the request came through the Unix socket, whose file mode says who may use it; false for TCP, which every
    /// program and every web page on this machine can reach.
    var isTrusted: Bool { client.isLocal }

    /// A request whose body is to be read: a client that waits to be asked for the body is asked when it is.
    func asking(_ request: Request) -> Request {
        guard request.headers[.expect] != nil else { return request }
        var request = request
        request.body = RequestBody(asyncSequence: ContinueAwaitingBody(body: request.body, channel: channel))
        return request
    }

    /// Refuses what only the Unix socket may ask for.
    func requireTrust(for what: String) throws(Failure) {
        guard isTrusted else {
            throw Failure(
                .localOnly, "\(what) is not available over TCP",
                hint: "ask through the Unix socket, as the service's user")
        }
    }
}
