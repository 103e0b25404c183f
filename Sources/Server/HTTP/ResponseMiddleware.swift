import Failpoints
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Pipeline

/// The last hand on every answer: errors become problem documents, and the headers that all have are set.
struct ResponseMiddleware: RouterMiddleware {
    let logger: Logger
    /// Is told what went wrong inside the service.
    let onFault: @Sendable (any Error) -> Void

    func handle(
        _ request: Request, context: RequestContext,
        next: @concurrent (Request, RequestContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            response = try await next(request, context)
        } catch let error where error is IOError || error is ChannelError {
            throw error  // The connection is broken: there is nobody to answer.
        } catch {
            response = answer(to: error, request, context)
        }
        if request.method == .head, response.status.kind != .successful { response = response.createHeadResponse() }
        response.headers[.xContentTypeOptions] = "nosniff"
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        return Failpoint.isOn ? Self.between(response, "\(request.method) \(request.uri.path)") : response
    }

    /// An answer that goes out between the two sides of its failpoint.
    private static func between(_ response: Response, _ place: String) -> Response {
        var response = response
        let body = response.body
        response.body = ResponseBody(contentLength: body.contentLength) { writer in
            _ = Failpoint.reply.pass(.before, at: place)
            try await body.write(writer)
            _ = Failpoint.reply.pass(.after, at: place)
        }
        return response
    }

    private func answer(to error: any Error, _ request: Request, _ context: RequestContext) -> Response {
        if let error = error as? HTTPError, error.status == .notFound, !request.head.isForService {
            return Self.noSuchAddress
        }
        let (status, response): (HTTPResponse.Status, Response)
        if request.head.isForDatabase {
            let problem = DatabaseProblem(error)
            (status, response) = (problem.status, problem.response)
        } else {
            let problem = Problem(error)
            (status, response) = (problem.status, problem.response(trace: context.trace))
        }
        if status.kind == .serverError { onFault(error) }
        log(error, status, request, context)
        return response
    }

    /// What an answer's `trace` is found by. The database's answers have none.
    private func log(_ error: any Error, _ status: HTTPResponse.Status, _ request: Request, _ context: RequestContext) {
        let level: Logger.Level =
            status.kind == .serverError ? .error : request.head.isForDatabase ? .debug : .info
        logger.log(
            level: level, "refused",
            metadata: [
                "trace": "\(context.trace)", "status": "\(status.code)", "error": "\("\(error)".printable)",
                "request": "\("\(request.method) \(request.uri.path)".prefix(200).description.printable)",
            ])
    }

    /// Whoever forgets `.json` is told so, in the words that clients of the database know.
    private static var noSuchAddress: Response {
        Response(
            status: .notFound, headers: [.contentType: "text/plain; charset=utf-8"],
            body: ResponseBody(
                byteBuffer: ByteBuffer(string: "append .json to your request URI to use the REST API.\n")))
    }
}
