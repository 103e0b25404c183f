package import API
package import HTTPTypes
package import Hummingbird
package import Tree

extension Response {
    /// An answer that is a document.
    package static func json(
        _ document: some Document, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) -> Response {
        json(bytes: document.json(), status: status, headers: headers)
    }

    /// An answer that is a JSON document.
    package static func json(
        _ value: TreeValue, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) -> Response {
        json(bytes: value.json(), status: status, headers: headers)
    }

    /// An answer whose body is JSON text already.
    package static func json(
        bytes: [UInt8], status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) -> Response {
        var headers = headers
        headers[.contentType] = "application/json"
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
