import API
import Access
import Hummingbird
import NIOCore
import Requests
import TreeModel

/// The body of an upload to the bucket, in pieces as they arrive.
struct ObjectBody {
    /// The most bytes that a body may have in addition to the object's bytes.
    static let overhead = 128 << 10

    /// The announced length in bytes; nil if none was announced.
    let announced: Int?
    private let maxBytes: Int
    private var chunks: RequestBody.AsyncIterator
    private var byteCount = 0

    /// Begins to read a body.
    ///
    /// - Parameter maxBytes: The largest number of bytes that are accepted.
    /// - Throws: `Failure` `too_large_bytes` if more are announced.
    init(_ request: Request, maxBytes: Int) throws(Failure) {
        announced = request.headers[.contentLength].flatMap { Int($0) }
        self.maxBytes = maxBytes
        chunks = request.body.makeAsyncIterator()
        if let announced { try check(announced) }
    }

    private func check(_ byteCount: Int) throws(Failure) {
        guard byteCount <= maxBytes else {
            throw Failure(
                .tooLarge, "the body has more than \(maxBytes) bytes (\(maxBytes >> 20) MiB)",
                hint: "Send a smaller file, or raise max-bytes.")
        }
    }

    /// Returns the next bytes; nil at the end of a complete body. A broken connection does not end it.
    mutating func next() async throws -> ByteBuffer? {
        while let buffer = try await chunks.next(isolation: #isolation) {
            byteCount += buffer.readableBytes
            try check(byteCount)
            if buffer.readableBytes > 0 { return buffer }
        }
        try Task.checkCancellation()
        if let announced, announced != byteCount {
            throw Failure(.badRequest, "the body ended after \(byteCount) of \(announced) bytes")
        }
        return nil
    }

    /// Returns the whole body as JSON; an empty object if there is none.
    ///
    /// - Throws: `Failure` `bad_request` for a body that is not JSON.
    static func json(of request: Request) async throws -> JSONValue {
        var body = try ObjectBody(request, maxBytes: overhead)
        var bytes = ByteBuffer()
        while let buffer = try await body.next() { bytes.writeImmutableBuffer(buffer) }
        return try json(bytes)
    }

    static func json(_ bytes: ByteBuffer) throws(Failure) -> JSONValue {
        guard bytes.readableBytes > 0 else { return [:] }
        guard let json = JSONValue(text: bytes.readableBytesView) else {
            throw Failure(.badRequest, "the metadata is not JSON", hint: "Send a JSON object, or nothing.")
        }
        return json
    }
}

/// The body of an upload in one request: the object's bytes alone, or two parts of `multipart/related`, JSON metadata
/// and then the bytes.
struct ObjectParts {
    /// The longest metadata, in bytes.
    private static let maxMetadataBytes = 64 << 10

    private var body: ObjectBody
    /// The parser of the parts; nil for a body without parts.
    private var parser: MultipartParser?

    /// The announced length of the body in bytes; nil if none was announced.
    var announced: Int? { body.announced }

    /// Begins to read a body.
    ///
    /// - Parameter maxBytes: The largest number of bytes of the object.
    /// - Throws: `Failure` `too_large_bytes` if more are announced, `bad_multipart` for parts without a boundary.
    init(_ request: Request, maxBytes: Int) throws(Failure) {
        let type = request.headers[.contentType] ?? ""
        if HeaderParameters(type).value == MultipartParser.Kind.related.rawValue {
            parser = try MultipartParser(contentType: type, kind: .related)
        }
        body = try ObjectBody(request, maxBytes: maxBytes + (parser == nil ? 0 : ObjectBody.overhead))
    }

    /// Reads the metadata, and the headers of the part behind it.
    ///
    /// - Returns: The metadata, and the media type that the second part names; nil for a body without parts.
    /// - Throws: `Failure` `bad_multipart` or `bad_request`.
    mutating func readMetadata() async throws -> (json: JSONValue, contentType: String?)? {
        guard parser != nil else { return nil }
        guard case .partBegan = try await nextEvent() else { throw Self.wrongParts }
        var bytes = ByteBuffer()
        while case .partBytes(let buffer) = try await nextEvent() {
            guard bytes.readableBytes + buffer.readableBytes <= Self.maxMetadataBytes else {
                throw Failure(.badRequest, "the metadata has more than \(Self.maxMetadataBytes) bytes")
            }
            bytes.writeImmutableBuffer(buffer)
        }
        let json = try ObjectBody.json(bytes)
        guard case .partBegan(let headers) = try await nextEvent() else { throw Self.wrongParts }
        return (json, headers.contentType)
    }

    /// Returns the next bytes of the object; nil at its end, after the rest of the body has been read.
    ///
    /// - Throws: `Failure` `bad_multipart`.
    mutating func nextBytes() async throws -> ByteBuffer? {
        guard parser != nil else { return try await body.next() }
        if case .partBytes(let buffer) = try await nextEvent() { return buffer }
        guard case .finished = try await nextEvent() else { throw Self.wrongParts }
        while try await body.next() != nil {}
        return nil
    }

    private static let wrongParts = Failure(
        .badMultipart, "an upload must have two parts", hint: "Send JSON metadata, then the object's bytes.")

    private mutating func nextEvent() async throws -> MultipartParser.Event? {
        while true {
            if let event = try parser?.next() { return event }
            guard let buffer = try await body.next() else {
                throw Failure(
                    .badMultipart, "the body ends before its closing boundary", hint: "Send the whole of it again.")
            }
            parser?.feed(buffer)
        }
    }
}
