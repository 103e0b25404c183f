import API
import Database
import HTTPTypes
import Hummingbird
import Transport

/// A request for the database, admitted and parsed.
struct DatabaseRequest: Sendable {
    let http: Request
    /// The method of the request; for a sender that can only POST, the method that it names.
    let method: HTTPRequest.Method
    let path: DatabasePath
    let parameters: DatabaseParameters
    let session: DatabaseSession

    /// Parses a request.
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

    /// Whether an event stream is requested.
    ///
    /// An admitted stream takes the connection over and never becomes a request here. This one belongs to a client that
    /// has too many already, or whose token's key was unknown a moment ago.
    var asksForStream: Bool {
        method == .get && !path.isPriority && http.headers[.accept]?.contains("text/event-stream") == true
    }

    /// Whether the response carries an ETag, which neither a part of a node's children nor a priority has.
    ///
    /// Clients that send conditions read it, although they do not request it.
    var wantsETag: Bool {
        parameters.filters.isEmpty && !path.isPriority
            && (http.headers[.firebaseETag] == "true" || ifMatch != nil || ifNoneMatch != nil)
    }

    /// The text around the JSON of the response.
    var frame: TextFrame {
        // The comment keeps the response from being interpreted as anything but a script, whatever the name.
        TextFrame(
            beginning: parameters.callback.map { "/**/\($0)(" } ?? "", end: parameters.callback == nil ? "" : ");",
            isPretty: parameters.isPretty)
    }

    /// Returns the header fields of a response to this request.
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

    /// Returns a `Content-Disposition` (RFC 6266) with only characters that are safe in file systems and header fields.
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
