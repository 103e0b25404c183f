package import API
package import HTTPTypes

/// The limits on the length of a request's body.
package struct BodyLimits: Sendable, Hashable {
    /// The limit for a photo, in bytes.
    package let maxPhotoBytes: Int
    /// The limit for all photos of a form together, in bytes.
    package let maxRequestBytes: Int

    package init(maxPhotoBytes: Int, maxRequestBytes: Int) {
        self.maxPhotoBytes = maxPhotoBytes
        self.maxRequestBytes = maxRequestBytes
    }

    /// Returns the limit for a body of the type that the header fields announce, in bytes.
    package func maxBytes(for headers: HTTPFields) -> Int {
        headers.isMultipart ? max(maxPhotoBytes, maxRequestBytes) : maxPhotoBytes
    }

    /// Refuses a body whose announced length exceeds the limit, before its first byte is read.
    package func check(_ headers: HTTPFields) throws(Failure) {
        guard let announced = headers[.contentLength], let byteCount = Int(announced) else { return }
        try check(byteCount, of: headers)
    }

    /// Refuses a body that has reached this length, if it exceeds the limit.
    package func check(_ byteCount: Int, of headers: HTTPFields) throws(Failure) {
        let limit = maxBytes(for: headers)
        guard byteCount <= limit else {
            throw Failure(
                .tooLarge, "the body has more than \(limit) bytes (\(limit >> 20) MiB)",
                hint: headers.isMultipart ? "Send fewer or smaller photos." : "Send a smaller file, or raise max-bytes."
            )
        }
    }
}

extension HTTPFields {
    /// Whether the body is a form with files (RFC 7578).
    package var isMultipart: Bool {
        self[.contentType]?.lowercased().hasPrefix("multipart/") ?? false
    }
}
