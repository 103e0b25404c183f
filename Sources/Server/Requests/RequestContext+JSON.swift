import API
import Access
import Hummingbird
import TreeModel

extension RequestContext {
    /// The members of the JSON object that a request's body is.
    ///
    /// - Throws: `Failure` with the code `bad_request` for what is no JSON object, or has a member twice, and
    ///   `unsupported_type` for what does not say that it is JSON; `NIOTooManyBytesError` for a body that is too long.
    func jsonObject(of request: Request, upTo maxBytes: Int) async throws -> [String: JSONValue] {
        let type = (request.headers[.contentType] ?? "").split(separator: ";").first ?? ""
        guard type.split(separator: " ").first?.lowercased() == "application/json" else {
            throw Failure(
                .unsupportedType,
                "a body of \(type.isEmpty ? "no type" : "the type \(type.prefix(80))") is not understood here",
                hint: "send a JSON object, and say so: -H 'Content-Type: application/json'")
        }
        let body = try await asking(request).body.collect(upTo: maxBytes)
        guard case .object(let members)? = JSONValue(text: body.readableBytesView) else {
            throw Failure(.badRequest, "the body is no JSON object", hint: "send {\"name\": value, …}, each name once")
        }
        return members
    }
}
