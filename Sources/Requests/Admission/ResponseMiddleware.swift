import API
import Failpoints
import HTTPTypes
package import Hummingbird
package import Logging
import NIOCore
import Transport

/// The last middleware of every response: it renders errors and sets common header fields.
package struct ResponseMiddleware: RouterMiddleware {
    let words: ErrorRenderer
    let logger: Logger
    let audit: AuditLog
    let admission: Admission
    /// Is called with faults inside the service.
    let onFault: @Sendable (any Error) -> Void
    /// Returns the page for an unknown address; nil for a request that is not a browser's.
    let missingPage: @Sendable (Request) async -> Response?

    package init(
        words: ErrorRenderer, logger: Logger, audit: AuditLog, admission: Admission,
        onFault: @escaping @Sendable (any Error) -> Void = { _ in },
        missingPage: @escaping @Sendable (Request) async -> Response? = { _ in nil }
    ) {
        self.words = words
        self.logger = logger
        self.audit = audit
        self.admission = admission
        self.onFault = onFault
        self.missingPage = missingPage
    }

    package func handle(
        _ request: Request, context: HTTPContext,
        next: @concurrent (Request, HTTPContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            response = try await next(request, context)
        } catch let error where error is IOError || error is ChannelError {
            throw error  // The connection is broken, so that no response can be sent.
        } catch {
            response = await answer(to: error, request, context)
        }
        if request.method == .head, response.status.kind != .successful { response = response.createHeadResponse() }
        response.headers[.xContentTypeOptions] = "nosniff"
        if StrictTransport.applies(to: request.head, from: context.client) {
            response.headers[.strictTransportSecurity] = StrictTransport.value
        }
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        return Failpoint.isOn ? Self.between(response, "\(request.method) \(request.uri.path)") : response
    }

    /// Returns a response that is sent between the two sides of its failpoint.
    private static func between(_ response: Response, _ place: String) -> Response {
        var response = response
        let body = response.body
        // The failpoint is not passed with the body, because the head has been sent by then and may be the whole
        // response.
        _ = Failpoint.reply.pass(.before, at: place)
        response.body = ResponseBody(contentLength: body.contentLength) { writer in
            try await body.write(writer)
            _ = Failpoint.reply.pass(.after, at: place)
        }
        return response
    }

    private func answer(to error: any Error, _ request: Request, _ context: HTTPContext) async -> Response {
        if let error = error as? HTTPError, error.status == .notFound, !Self.isForService(request.head) {
            return await missingPage(request) ?? Self.noSuchAddress
        }
        let response = words.answer(error, context.trace)
        // The log contains only the error, not the response that belongs to it.
        let error = (error as? ErrorResponse)?.error ?? error
        if response.status.kind == .serverError { onFault(error) }
        log(error, response.status, request, context)
        return response
    }

    /// Whether the path belongs to the photo API.
    private static func isForService(_ request: HTTPRequest) -> Bool {
        guard let path = request.path?.utf8 else { return false }
        return path.starts(with: "/v1/".utf8) || path.starts(with: "/media/".utf8)
    }

    /// Logs a refused request under the `trace` of its response.
    private func log(_ error: any Error, _ status: HTTPResponse.Status, _ request: Request, _ context: HTTPContext) {
        if [.unauthorized, .forbidden, .tooManyRequests].contains(status) {
            return audit.refused(
                request.head, from: context.client,
                proof: { try? admission.proof(of: request.head, from: context.client) }, status: status, error: error,
                trace: context.trace)
        }
        logger.log(
            level: status.kind == .serverError ? .error : words.level, "refused",
            metadata: [
                "trace": "\(context.trace)", "status": "\(status.code)", "error": "\("\(error)".printable)",
                "request": "\("\(request.method) \(request.uri.path)".prefix(200).description.printable)",
            ])
    }

    /// The response to database requests without `.json`, with the text that Firebase's clients know.
    private static var noSuchAddress: Response {
        Response(
            status: .notFound, headers: [.contentType: "text/plain; charset=utf-8"],
            body: ResponseBody(
                byteBuffer: ByteBuffer(string: "append .json to your request URI to use the REST API.\n")))
    }
}
