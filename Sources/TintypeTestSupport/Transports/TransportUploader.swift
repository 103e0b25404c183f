public import TintypeClient

/// A background uploader over a transport, for tests. Its uploads go on when the store that has begun them is gone, and end
/// with the process.
public final class TransportUploader: BackgroundUploader {
    private let base: any Transport
    private let uploads = Guarded<[String: Task<TransportResponse, any Error>]>([:])

    /// Creates an uploader.
    ///
    /// - Parameter base: The transport that sends the requests.
    public init(_ base: any Transport) { self.base = base }

    /// Begins an upload, unless one of this name is known.
    ///
    /// The service keeps the bytes of an upload that is cut, as it does for those of a system.
    public func begin(_ request: TransportRequest, named name: String) async throws {
        var request = request
        request.headers["Upload-Complete"] = "?1"
        uploads.withLock { [base, request] uploads in
            guard uploads[name] == nil else { return }
            uploads[name] = Task { try await base.response(to: request, progress: nil) }
        }
    }

    /// Waits for the end of an upload, and returns the answer, whatever its status; nil if no upload of this name is known.
    ///
    /// - Throws: `TransportError` if the upload has ended without a whole answer; `CancellationError`.
    public func answer(
        toUploadNamed name: String, progress: @Sendable (_ sentCount: Int64) -> Void
    ) async throws -> TransportResponse? {
        guard let upload = uploads.withLock({ $0[name] }) else { return nil }
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        Task {
            _ = await upload.result
            end.finish()
        }
        for await _ in ends {}
        try Task.checkCancellation()
        // It may have been ended meanwhile.
        guard uploads.withLock({ $0[name] != nil }) else { return nil }
        return try await upload.value
    }

    /// Ends an upload, if it is under way, and forgets it.
    public func end(uploadNamed name: String) async { uploads.withLock { $0.removeValue(forKey: name) }?.cancel() }
}
