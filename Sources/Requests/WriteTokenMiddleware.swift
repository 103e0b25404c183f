package import HTTPTypes
package import Hummingbird
import Transport
package import Tree

/// Adds to the answer of each write the position in the change log up to which the write is certainly included, unless
/// the answer has it already: a reader of later changes from there on has seen the write.
///
/// It is the store's position when the write is done, so that every protocol and route has it, whatever it writes and in
/// however many steps. The answer of a job has none: the job writes while it sends its reports, whose length is not known
/// beforehand.
package struct WriteTokenMiddleware: RouterMiddleware {
    private let tree: TreeStore

    package init(_ tree: TreeStore) { self.tree = tree }

    package func handle(
        _ request: Request, context: HTTPContext,
        next: @concurrent (Request, HTTPContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        guard [.put, .post, .patch, .delete].contains(request.method), response.status.kind == .successful,
            response.headers[.tintypeToken] == nil, response.body.contentLength != nil
        else { return response }
        // A write that was done is not refused because the position cannot be read.
        response.headers[.tintypeToken] = try? await tree.token.description
        return response
    }
}

extension HTTPField.Name {
    /// The position in the change log that an answer includes.
    package static let tintypeToken: HTTPField.Name = HTTPField.Name(parsed: "Tintype-Token")
}
