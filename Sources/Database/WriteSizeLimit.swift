package import API

/// The most that one request may write, by the time that a client is willing to wait for it.
package enum WriteSizeLimit: String, Sendable {
    case tiny, small, medium, large, unlimited

    /// The most that any request may send: the protocol's limit, in bytes.
    static let maxBytes = 256 << 20

    /// The most that the body may have, in bytes: the protocol's classes are about 1, 10, 30 and 60 seconds of writing,
    /// which is estimated at 16 MiB a second.
    package var maxBytes: Int {
        switch self {
        case .tiny: 16 << 20
        case .small: 160 << 20
        case .medium, .large, .unlimited: Self.maxBytes
        }
    }

    /// Refuses a body of more bytes than a write may have.
    ///
    /// - Throws: `Failure` with the code `write_too_large`.
    package func check(_ byteCount: Int) throws(Failure) {
        guard byteCount <= maxBytes else {
            throw Failure(
                .writeTooLarge,
                "Data to write exceeds the maximum size that can be modified with a single request.",
                hint: "the body has more than \(maxBytes) bytes (\(maxBytes >> 20) MiB); write it in several requests")
        }
    }
}
