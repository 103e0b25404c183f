import API
import Access
import Hummingbird
import NIOCore
import TreeModel

extension Request {
    /// The members of a body that is a JSON object, of which only some are known.
    ///
    /// - Parameters:
    ///   - names: The members that there may be; a member that is null is as good as none.
    ///   - maxBytes: The longest body.
    ///   - example: What such a body looks like.
    /// - Throws: `Failure` with the code `unsupported_type`, `bad_request` or `too_large_bytes`.
    func jsonMembers(
        _ names: [String], upTo maxBytes: Int, example: String, _ context: RequestContext
    ) async throws -> [String: JSONValue] {
        let type = (headers[.contentType] ?? "").prefix { ![";", " ", "\t"].contains($0) }.lowercased()
        guard type == "application/json" else {
            throw Failure(
                .unsupportedType,
                "a body of \(type.isEmpty ? "no type" : "the type \(type.prefix(80))") is not understood here",
                hint: "send JSON, and say so: -H 'Content-Type: application/json' -d '\(example)'")
        }
        let body: ByteBuffer
        do {
            body = try await context.asking(self).body.collect(upTo: maxBytes)
        } catch is NIOTooManyBytesError {
            throw Failure(.tooLarge, "the body has more than \(maxBytes) bytes", hint: "send a shorter text")
        }
        guard case .object(let members)? = JSONValue(text: body.readableBytesView) else {
            throw Failure(.badRequest, "the body is no JSON object", hint: example)
        }
        if let unknown = members.keys.filter({ !names.contains($0) }).min() {
            throw Failure(
                .badRequest, "there is no field \"\(unknown.prefix(80))\" here",
                hint: "there are \(names.joined(separator: ", "))")
        }
        return members.filter { $0.value != .null }
    }
}
