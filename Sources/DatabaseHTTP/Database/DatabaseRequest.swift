import API
import Database
import HTTPTypes
import Hummingbird
import Transport

/// A request for the database, admitted and understood.
struct DatabaseRequest: Sendable {
    let http: Request
    /// What is to be done: what the sender says is meant, where a sender can only POST.
    let method: HTTPRequest.Method
    let path: DatabasePath
    let parameters: DatabaseParameters
    let session: DatabaseSession

    /// Reads a request.
    ///
    /// - Throws: `Failure` with the code `invalid_path` or `bad_request`.
    init(_ request: Request, _ admitted: AdmittedRequest) throws(Failure) {
        http = request
        parameters = admitted.parameters
        session = admitted.session
        path = try DatabasePath(address: request.uri.path, in: admitted.namespace)
        method = try Self.method(of: request, parameters)
    }

    private static func method(
        of request: Request, _ parameters: DatabaseParameters
    ) throws(Failure) -> HTTPRequest.Method {
        guard request.method == .post,
            let name = request.headers[.methodOverride] ?? parameters.methodOverride
        else { return request.method }
        let methods: [HTTPRequest.Method] = [.get, .put, .post, .patch, .delete]
        guard let method = methods.first(where: { $0.rawValue == name.uppercased() }) else {
            throw Failure(.badRequest, "\(name.prefix(20)) is not GET, PUT, POST, PATCH or DELETE")
        }
        return method
    }

    var ifMatch: String? { http.headers[.ifMatch] }
    var ifNoneMatch: String? { http.headers[.ifNoneMatch] }

    /// Whether a stream of events is asked for.
    ///
    /// One that is let in takes the connection over, and is no request any more: it is one of a client that has too many
    /// already, or whose token's key was not known a moment ago.
    var asksForStream: Bool {
        method == .get && !path.isPriority && http.headers[.accept]?.contains("text/event-stream") == true
    }

    /// Whether the answer is to carry an ETag, which neither a part of a node's children nor a priority has.
    ///
    /// Clients that send conditions read it, though they do not ask for it.
    var wantsETag: Bool {
        parameters.filters.isEmpty && !path.isPriority
            && (http.headers[.firebaseETag] == "true" || ifMatch != nil || ifNoneMatch != nil)
    }

    /// What stands around the JSON of the answer.
    var frame: TextFrame {
        // The comment keeps the answer from being taken for anything but a script, whatever the name.
        TextFrame(
            beginning: parameters.callback.map { "/**/\($0)(" } ?? "", end: parameters.callback == nil ? "" : ");",
            isPretty: parameters.isPretty)
    }

    /// The headers of an answer to this request.
    func headers(etag: String?) -> HTTPFields {
        var headers = HTTPFields.database
        if let etag { headers[.eTag] = etag }
        if parameters.callback != nil {
            headers[.contentType] = "application/javascript; charset=utf-8"
            headers[.resourcePolicy] = "cross-origin"
        }
        if let name = parameters.downloadName { headers[.contentDisposition] = Self.attachment(name) }
        return headers
    }

    /// RFC 6266, with what no file system and no header minds.
    private static func attachment(_ name: String) -> String {
        let safe = name.unicodeScalars.prefix(120).map { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".", " ": Character(scalar)
            default: Character("_")
            }
        }
        return "attachment; filename=\"\(String(safe))\""
    }
}
