import API
import Access
package import Hummingbird
package import TreeModel

extension HTTPContext {
    /// Reads a request's body as a JSON object, and returns its members.
    ///
    /// - Parameter example: An example of such a body.
    /// - Throws: `Failure` with the code `bad_request` for a body that is not a JSON object, or has a member twice, and
    ///   `unsupported_type` for a body that is not declared as JSON; `NIOTooManyBytesError` for a body that is too
    ///   long.
    package func jsonObject(
        of request: Request, upTo maxBytes: Int, example: String = #"{"name": value, …}"#
    ) async throws -> [String: JSONValue] {
        let type = (request.headers[.contentType] ?? "").prefix { ![";", " ", "\t"].contains($0) }.lowercased()
        guard type == "application/json" else {
            throw Failure(
                .unsupportedType,
                "a body of \(type.isEmpty ? "no type" : "the type \(type.prefix(80))") is not supported here",
                hint: "Send a JSON object, and declare it: -H 'Content-Type: application/json' -d '\(example)'.")
        }
        let body = try await asking(request).body.collect(upTo: maxBytes)
        guard case .object(let members)? = JSONValue(text: body.readableBytesView) else {
            throw Failure(.badRequest, "the body is not a JSON object", hint: "Send \(example), each name once.")
        }
        return members
    }

    /// Reads such a body, and refuses unknown members.
    ///
    /// - Parameter names: The known members; a member that is null counts as missing.
    /// - Throws: See ``jsonObject(of:upTo:example:)``; `Failure` with the code `bad_request` for an unknown member.
    package func jsonMembers(
        _ names: [String], of request: Request, upTo maxBytes: Int, example: String
    ) async throws -> [String: JSONValue] {
        let members = try await jsonObject(of: request, upTo: maxBytes, example: example)
        if let unknown = members.keys.filter({ !names.contains($0) }).min() {
            throw Failure(
                .badRequest, "there is no field \"\(unknown.prefix(80))\" here",
                hint: "Use only these: \(names.joined(separator: ", ")).")
        }
        return members.filter { $0.value != .null }
    }
}
