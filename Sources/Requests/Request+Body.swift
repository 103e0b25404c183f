import HTTPTypes
import Hummingbird

extension Request {
    /// Whether the request has a non-empty body, according to its head.
    package var bringsBytes: Bool {
        guard let length = headers[.contentLength] else { return headers[.transferEncoding] != nil }
        return length != "0"
    }
}
