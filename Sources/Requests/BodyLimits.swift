package import API
package import HTTPTypes

/// How long a request's body may be.
package struct BodyLimits: Sendable, Hashable {
    /// For one photo, in bytes.
    package let maxPhotoBytes: Int
    /// For all photos of a form together, in bytes.
    package let maxRequestBytes: Int

    package init(maxPhotoBytes: Int, maxRequestBytes: Int) {
        self.maxPhotoBytes = maxPhotoBytes
        self.maxRequestBytes = maxRequestBytes
    }

    /// The limit for a body of the kind that the headers announce, in bytes.
    package func maxBytes(for headers: HTTPFields) -> Int {
        headers.isMultipart ? max(maxPhotoBytes, maxRequestBytes) : maxPhotoBytes
    }

    /// Refuses a body whose announced length is beyond the limit, before its first byte is read.
    package func check(_ headers: HTTPFields) throws(Failure) {
        guard let announced = headers[.contentLength], let byteCount = Int(announced) else { return }
        try check(byteCount, of: headers)
    }

    /// Refuses a body that has come to this length.
    package func check(_ byteCount: Int, of headers: HTTPFields) throws(Failure) {
        let limit = maxBytes(for: headers)
        guard byteCount <= limit else {
            throw Failure(
                .tooLarge, "the body has more than \(limit) bytes (\(limit >> 20) MiB)",
                hint: headers.isMultipart ? "send fewer or smaller photos" : "send a smaller file, or raise max-bytes")
        }
    }
}

extension HTTPFields {
    /// Whether the body is a form with files (RFC 7578).
    package var isMultipart: Bool {
        self[.contentType]?.lowercased().hasPrefix("multipart/") ?? false
    }
}
