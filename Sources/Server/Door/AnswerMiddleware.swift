import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1

/// The last hand on every answer: errors become problem documents, and the headers that all have are set.
struct AnswerMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: DoorContext, next: @concurrent (Request, DoorContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            response = try await next(request, context)
        } catch let error where error is HTTPParserError || error is IOError || error is ChannelError {
            throw error  // The connection is broken or out of step: there is nobody to answer but with 400 and its end.
        } catch {
            response = answer(to: error, context)
        }
        if request.method == .head, response.status.kind != .successful { response = response.createHeadResponse() }
        response.headers[.xContentTypeOptions] = "nosniff"
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        return response
    }

    private func answer(to error: any Error, _ context: DoorContext) -> Response {
        let problem = Problem(error)
        let level: Logger.Level = problem.status.kind == .serverError ? .error : .debug
        context.logger.log(
            level: level, "refused", metadata: ["status": "\(problem.status.code)", "error": "\(error)"])
        return problem.response(trace: context.trace)
    }
}
