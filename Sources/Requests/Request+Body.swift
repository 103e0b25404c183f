import HTTPTypes
import Hummingbird

extension Request {
    /// Whether the request has a body with bytes, as far as its head says.
    package var bringsBytes: Bool {
        guard let length = headers[.contentLength] else { return headers[.transferEncoding] != nil }
        return length != "0"
    }
}
