/// The part of an upload that the service has.
public struct UploadOffset: Hashable, Sendable {
    /// The number of bytes that are safe.
    public var byteCount: Int64
    /// The number of all bytes; nil if the answer does not name it.
    public var expectedByteCount: Int64?
    /// Whether the service has all bytes, and the post or the draft has the photo.
    public var isComplete: Bool

    /// Creates an offset.
    public init(byteCount: Int64, expectedByteCount: Int64? = nil, isComplete: Bool) {
        (self.byteCount, self.expectedByteCount, self.isComplete) = (byteCount, expectedByteCount, isComplete)
    }

    static func answer(_ response: TransportResponse) throws -> Answer<UploadOffset> {
        guard let count = response.headers["Upload-Offset"].flatMap({ Int64($0) }), count >= 0 else {
            throw TransportError(.malformed, "the answer has no offset")
        }
        let expected = response.headers["Upload-Length"].flatMap { Int64($0) }
        let isComplete = response.headers["Content-Location"] != nil || expected == count
        let offset = UploadOffset(byteCount: count, expectedByteCount: expected, isComplete: isComplete)
        return Answer(offset, changeNumber: response.changeNumber)
    }
}
