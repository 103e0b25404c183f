package import API
package import HTTPTypes
package import Hummingbird
package import Tree

extension Response {
    /// Returns a response with a document.
    package static func json(
        _ document: some Document, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) -> Response {
        json(bytes: document.json(), status: status, headers: headers)
    }

    /// Returns a response with a JSON document.
    package static func json(
        _ value: TreeValue, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) -> Response {
        json(bytes: value.json(), status: status, headers: headers)
    }

    /// Returns a response with a complete JSON text.
    package static func json(
        bytes: [UInt8], status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) -> Response {
        var headers = headers
        headers[.contentType] = "application/json"
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
