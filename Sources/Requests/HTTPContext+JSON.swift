import API
import Access
package import Hummingbird
package import TreeModel

extension HTTPContext {
    /// The members of the JSON object that a request's body is.
    ///
    /// - Parameter example: What such a body looks like.
    /// - Throws: `Failure` with the code `bad_request` for what is no JSON object, or has a member twice, and
    ///   `unsupported_type` for what does not say that it is JSON; `NIOTooManyBytesError` for a body that is too long.
    package func jsonObject(
        of request: Request, upTo maxBytes: Int, example: String = #"{"name": value, …}"#
    ) async throws -> [String: JSONValue] {
        let type = (request.headers[.contentType] ?? "").prefix { ![";", " ", "\t"].contains($0) }.lowercased()
        guard type == "application/json" else {
            throw Failure(
                .unsupportedType,
                "a body of \(type.isEmpty ? "no type" : "the type \(type.prefix(80))") is not understood here",
                hint: "send a JSON object, and say so: -H 'Content-Type: application/json' -d '\(example)'")
        }
        let body = try await asking(request).body.collect(upTo: maxBytes)
        guard case .object(let members)? = JSONValue(text: body.readableBytesView) else {
            throw Failure(.badRequest, "the body is no JSON object", hint: "send \(example), each name once")
        }
        return members
    }

    /// The members of such a body of which only some are known.
    ///
    /// - Parameter names: The members that there may be; a member that is null is as good as none.
    /// - Throws: As ``jsonObject(of:upTo:example:)``; `Failure` with the code `bad_request` for a member that is not known.
    package func jsonMembers(
        _ names: [String], of request: Request, upTo maxBytes: Int, example: String
    ) async throws -> [String: JSONValue] {
        let members = try await jsonObject(of: request, upTo: maxBytes, example: example)
        if let unknown = members.keys.filter({ !names.contains($0) }).min() {
            throw Failure(
                .badRequest, "there is no field \"\(unknown.prefix(80))\" here",
                hint: "there are \(names.joined(separator: ", "))")
        }
        return members.filter { $0.value != .null }
    }
}
