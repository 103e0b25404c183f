package import API

/// The limit of one write, expressed as the time that a client is willing to wait for it.
package enum WriteSizeLimit: String, Sendable {
    case tiny, small, medium, large, unlimited

    /// The limit of any request, in bytes, as in the protocol.
    static let maxBytes = 256 << 20

    /// The limit of the body, in bytes: the protocol's classes are about 1, 10, 30 and 60 seconds of writing, which is
    /// estimated at 16 MiB a second.
    package var maxBytes: Int {
        switch self {
        case .tiny: 16 << 20
        case .small: 160 << 20
        case .medium, .large, .unlimited: Self.maxBytes
        }
    }

    /// Refuses a body that exceeds the limit.
    ///
    /// - Throws: `Failure` with the code `write_too_large`.
    package func check(_ byteCount: Int) throws(Failure) {
        guard byteCount <= maxBytes else {
            throw Failure(
                .writeTooLarge,
                "Data to write exceeds the maximum size that can be modified with a single request.",
                hint: "Write it in several requests: the body has more than \(maxBytes) bytes (\(maxBytes >> 20) MiB).")
        }
    }
}
