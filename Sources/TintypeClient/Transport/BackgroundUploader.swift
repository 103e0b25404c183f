/// A way to send whole files that does not end with the app: the system sends them while the app is suspended, and after it
/// has ended.
///
/// An upload has a name, by which a later start of the app finds it again.
public protocol BackgroundUploader: Sendable {
    /// Begins an upload, unless one of this name is known. The system has it when this returns.
    ///
    /// - Parameters:
    ///   - request: The request, whose body is a whole file. The file stays where it is until the upload has ended.
    ///   - name: The name of the upload.
    /// - Throws: `TransportError` for a request that cannot be sent so; `CancellationError`.
    func begin(_ request: TransportRequest, named name: String) async throws

    /// Waits for the end of an upload, and returns the answer, whatever its status; nil if no upload of this name is known.
    ///
    /// A cancellation ends the wait, not the upload.
    ///
    /// - Parameters:
    ///   - name: The name of the upload.
    ///   - progress: Called with the number of bytes that have been sent so far.
    /// - Throws: `TransportError` if the upload has ended without a whole answer; `CancellationError`.
    func answer(
        toUploadNamed name: String, progress: @Sendable (_ sentCount: Int64) -> Void
    ) async throws -> TransportResponse?

    /// Ends an upload, if it is under way, and forgets it.
    func end(uploadNamed name: String) async
}
