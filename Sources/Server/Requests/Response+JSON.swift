import API
import HTTPTypes
import Hummingbird
import Tree

extension Response {
    /// An answer that is a document.
    static func json(
        _ document: some Document, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) -> Response {
        json(bytes: document.json(), status: status, headers: headers)
    }

    /// An answer that is a JSON document.
    static func json(
        _ value: TreeValue, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) -> Response {
        json(bytes: value.json(), status: status, headers: headers)
    }

    /// An answer whose body is JSON text already.
    static func json(
        bytes: [UInt8], status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) -> Response {
        var headers = headers
        headers[.contentType] = "application/json"
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
