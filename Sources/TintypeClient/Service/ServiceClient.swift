public import TintypeModel

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The requests to one service in the name of one session.
///
/// Errors are `Problem` for a refusal of the service, `TransportError` for a request without a whole answer,
/// `SessionError` for a session that must sign in, `DecodingError` for an answer in another form, and `CancellationError`.
public struct ServiceClient: Sendable {
    /// The address of the service.
    public let service: URL
    /// The session.
    public let session: Session
    /// The way to send requests.
    public let transport: any Transport
    let clock: any DeviceClock
    /// The person in whose name alone requests are sent; nil for the one who is signed in.
    public private(set) var person: Person.ID?

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - service: The address of the service, such as `https://photos.example.org`.
    ///   - keychain: The place for the session's tokens.
    ///   - transport: The way to send requests.
    ///   - clock: The clock that decides when a token is renewed.
    public init(
        service: URL, keychain: any Keychain, transport: any Transport, clock: any DeviceClock = SystemClock()
    ) {
        (self.service, self.transport, self.clock) = (service, transport, clock)
        session = Session(service: service, keychain: keychain, transport: transport, clock: clock)
    }

    /// Returns a client for the same session that sends requests in the name of one person alone. If somebody else is
    /// signed in, or nobody, they throw `SessionError.signedOut`.
    public func sending(as person: Person.ID) -> ServiceClient {
        var client = self
        client.person = person
        return client
    }

    /// Sends a request and returns the answer if its status is 2xx.
    ///
    /// A request that the service refuses because of its token is sent once more with a renewed token.
    public func response(
        to request: ServiceRequest, progress: (@Sendable (_ sentCount: Int64) -> Void)? = nil
    ) async throws -> TransportResponse {
        let message = try message(for: request)
        return try await response(to: message, isAuthorized: request.isAuthorized, progress: progress)
    }

    /// Sends a request to any address and returns the answer if its status is 2xx.
    ///
    /// - Parameter isAuthorized: Whether it is sent with a token, which is for the service alone.
    func response(
        to message: TransportRequest, isAuthorized: Bool, progress: (@Sendable (_ sentCount: Int64) -> Void)? = nil
    ) async throws -> TransportResponse {
        let response = try await anyResponse(to: message, isAuthorized: isAuthorized, progress: progress)
        guard (200..<300).contains(response.status) else { throw Problem(response) }
        return response
    }

    /// Sends a request to any address and returns the answer, whatever its status.
    func anyResponse(
        to message: TransportRequest, isAuthorized: Bool, progress: (@Sendable (_ sentCount: Int64) -> Void)? = nil
    ) async throws -> TransportResponse {
        var token = isAuthorized ? try await token() : nil
        var response = try await transport.response(to: Self.signed(message, token), progress: progress)
        // The answer to a HEAD does not say why it is a 401.
        if let rejected = token, response.status == 401,
            message.method == "HEAD" || Problem(response).rejectsToken, try await session.renew(rejected)
        {
            token = try await self.token()
            response = try await transport.response(to: Self.signed(message, token), progress: progress)
        }
        return response
    }

    /// Sends a request and returns the value of the answer if its status is 2xx.
    public func answer<Value: Decodable & Sendable>(
        to request: ServiceRequest, as type: Value.Type = Value.self,
        progress: (@Sendable (_ sentCount: Int64) -> Void)? = nil
    ) async throws -> Answer<Value> {
        let response = try await response(to: request, progress: progress)
        let value = try JSONDecoder().decode(Value.self, from: response.body)
        return Answer(value, changeNumber: response.changeNumber, etag: response.headers["ETag"])
    }

    /// Sends a request and returns its answer as a stream of events.
    public func events(for request: ServiceRequest, lastID: String? = nil) async throws -> ServerSentEvents {
        var request = request
        request.headers["Accept"] = "text/event-stream"
        if let lastID { request.headers["Last-Event-ID"] = lastID }
        let message = try message(for: request)
        var token = request.isAuthorized ? try await token() : nil
        var stream = try await transport.stream(for: Self.signed(message, token))
        if stream.status != 200 {
            let problem = try await Problem(stream)
            guard let rejected = token, problem.rejectsToken, try await session.renew(rejected) else { throw problem }
            token = try await self.token()
            stream = try await transport.stream(for: Self.signed(message, token))
        }
        guard stream.status == 200 else { throw try await Problem(stream) }
        return ServerSentEvents(stream.chunks)
    }

    /// Returns a request with the present token, as it is sent.
    func signedMessage(for request: ServiceRequest) async throws -> TransportRequest {
        Self.signed(try message(for: request), request.isAuthorized ? try await token() : nil)
    }

    func message(for request: ServiceRequest) throws -> TransportRequest {
        guard let url = request.url(relativeTo: service) else {
            throw TransportError(.unreachable, "\(service) has no address for \(request.path)")
        }
        return TransportRequest(request.method, url, headers: request.headers, body: request.body)
    }

    private func token() async throws -> String? {
        guard let person else { return try await session.token() }
        return try await session.tokens.token(of: person)
    }

    private static func signed(_ message: TransportRequest, _ token: String?) -> TransportRequest {
        var message = message
        if let token { message.headers["Authorization"] = "Bearer \(token)" }
        return message
    }
}

extension TransportResponse {
    /// The number of the last change that the answer includes; nil if the service did not send it.
    var changeNumber: Int64? { headers["Tintype-Token"].flatMap { Int64($0) } }
}

extension Problem {
    /// Creates the problem of an answer whose status is not 2xx.
    init(_ response: TransportResponse) {
        self.init(status: response.status, body: response.body, retryAfter: response.headers["Retry-After"])
    }

    /// Creates the problem of a stream whose status is not 2xx, of the first 64 KiB of its body.
    init(_ stream: TransportStream) async throws {
        var body = Data()
        for try await chunk in stream.chunks {
            body.append(chunk)
            if body.count >= 64 << 10 { break }
        }
        self.init(status: stream.status, body: body, retryAfter: stream.headers["Retry-After"])
    }
}
