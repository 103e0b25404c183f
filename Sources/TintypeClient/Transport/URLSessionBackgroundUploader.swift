#if canImport(FoundationNetworking)
    internal import Foundation
    package import FoundationNetworking
#else
    package import Foundation
#endif

/// The background uploader for apps, over a background session of Apple's systems.
///
/// From iOS 17 and macOS 14 on, the system itself continues an upload that was cut, by "Resumable Uploads for HTTP"
/// (draft-ietf-httpbis-resumable-upload). Earlier ones send it again from its first byte. Background sessions follow
/// redirections. If the person ends the app, the system ends its uploads.
///
/// An app has one for its whole life. On Linux, where tests use it, uploads end with the process.
public final class URLSessionBackgroundUploader: BackgroundUploader {
    private let uploads = SessionUploads()
    private let session: URLSession
    /// Finds the uploads that an earlier run of the app has begun.
    private let search: Task<Void, Never>

    /// Creates an uploader.
    package init(configuration: URLSessionConfiguration) {
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.urlCredentialStorage = nil
        session = URLSession(configuration: configuration, delegate: uploads, delegateQueue: nil)
        search = Task { [session, uploads] in
            let tasks = await withCheckedContinuation { found in session.getAllTasks { found.resume(returning: $0) } }
            for task in tasks { uploads.add(task) }
        }
    }

    /// Begins an upload, unless one of this name is known. The system has it when this returns.
    ///
    /// - Throws: `TransportError` for a request whose body is not a file, or whose address is not one over HTTP.
    public func begin(_ request: TransportRequest, named name: String) async throws {
        guard case .file(let file, offset: 0, _) = request.body else {
            throw TransportError(.unreadableFile, "the body is not a whole file")
        }
        guard ["http", "https"].contains(request.url.scheme?.lowercased()), request.url.host?.isEmpty == false else {
            throw TransportError(.unreachable, "\(request.url) is not an address over HTTP")
        }
        await search.value
        var message = URLRequest(url: request.url)
        message.httpMethod = request.method
        message.httpShouldHandleCookies = false
        #if canImport(FoundationNetworking)
            message.timeoutInterval = 24 * 3600
        #endif
        for (name, value) in request.headers.sorted { message.setValue(value, forHTTPHeaderField: name) }
        if !Self.systemResumesUploads { message.setValue("?1", forHTTPHeaderField: "Upload-Complete") }
        let started = try uploads.start(name) { [message, session] in
            // A session ends the process for a file that it cannot read.
            guard FileManager.default.isReadableFile(atPath: file.path) else {
                throw TransportError(.unreadableFile, "\(file.path) cannot be read")
            }
            let task = session.uploadTask(with: message, fromFile: file)
            task.taskDescription = name
            return task
        }
        started?.resume()
    }

    /// Whether the system adds the fields of the protocol to requests of its own accord. Otherwise the service keeps the
    /// bytes of an upload that was cut, too, and the app continues it.
    private static var systemResumesUploads: Bool {
        #if canImport(FoundationNetworking)
            false
        #else
            if #available(iOS 17, macOS 14, tvOS 17, watchOS 10, *) { true } else { false }
        #endif
    }

    /// Waits for the end of an upload, and returns the answer, whatever its status; nil if no upload of this name is known.
    ///
    /// - Throws: `TransportError` if the upload has ended without a whole answer; `CancellationError`.
    public func answer(
        toUploadNamed name: String, progress: @Sendable (_ sentCount: Int64) -> Void
    ) async throws -> TransportResponse? {
        await search.value
        guard let counts = uploads.sentCounts(of: name) else { return nil }
        for await count in counts { progress(count) }
        try Task.checkCancellation()
        return try uploads.result(of: name)?.get()
    }

    /// Ends an upload, if it is under way, and forgets it.
    public func end(uploadNamed name: String) async {
        await search.value
        uploads.remove(name)
    }
}

#if !canImport(FoundationNetworking)
    extension URLSessionBackgroundUploader {
        /// Creates the uploader of an app, once in its life: the system knows the session by its identifier.
        ///
        /// This initializer was never run: background sessions are untried.
        ///
        /// - Parameter identifier: The identifier of the session, such as `org.example.photos.uploads`.
        public convenience init(identifier: String) {
            let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
            // A draft expires after a day without progress: the app sends the rest before that.
            configuration.timeoutIntervalForResource = 12 * 3600
            self.init(configuration: configuration)
        }
    }
#endif
