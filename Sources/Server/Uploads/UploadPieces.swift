import API
import HTTPTypes
import Hummingbird
import NIOCore
import Requests
import Uploads

/// A piece of an upload's body, however the body is encoded.
enum UploadPiece {
    case field(name: String, value: String)
    case photoBegan(name: String)
    case photoBytes(ByteBuffer)
    case photoEnded
}

/// An upload's body in pieces, in the order in which they arrive: a form with files, or a photo that is the body
/// itself.
///
/// Bytes are read from the connection on demand and never collected, so that the sender is limited to the speed of the
/// disk.
struct UploadPieces {
    static let maxFieldBytes = 64 << 10

    private enum Encoding {
        case raw(hasBegun: Bool)
        case multipart(MultipartParser)
        case ended
    }

    private let headers: HTTPFields
    /// The name of a photo that is the body itself.
    private let photoName: String
    private let limits: BodyLimits
    private var chunks: RequestBody.AsyncIterator
    private var byteCount = 0
    private var encoding: Encoding
    private var pending: ByteBuffer?

    /// Begins to read a body.
    ///
    /// - Throws: `Failure`: `too_large_bytes` if the announced length exceeds the limit, `unsupported_type` for a
    ///   content type other than a photo or a form, `bad_multipart`.
    init(_ request: Request, photoName: String = "photo", limits: BodyLimits) throws(Failure) {
        try limits.check(request.headers)
        try Self.checkType(request.headers)
        headers = request.headers
        self.photoName = photoName
        self.limits = limits
        chunks = request.body.makeAsyncIterator()
        if headers.isMultipart {
            encoding = .multipart(try MultipartParser(contentType: headers[.contentType] ?? ""))
        } else {
            encoding = .raw(hasBegun: false)
        }
    }

    private static func checkType(_ headers: HTTPFields) throws(Failure) {
        let type = HeaderParameters(headers[.contentType] ?? "").value
        guard type == "application/json" || type.hasPrefix("text/") else { return }
        throw Failure(
            .unsupportedType, "a body of the type \(type.prefix(80)) is neither a photo nor a form with photos",
            hint: "Send the photo's bytes, or multipart/form-data. Send a text alone in the query or a form.")
    }

    /// The smallest number of bytes of photos, according to the length of the body.
    var expectedByteCount: Int {
        guard let length = headers[.contentLength].flatMap({ Int(digits: $0) }) else { return 0 }
        // In a form, fields and the headers of parts are not photos.
        return headers.isMultipart ? max(0, length - Self.maxFieldBytes) : length
    }

    /// Returns the next piece; nil at the end.
    ///
    /// - Throws: `Failure` for a body that is too long or incomplete, `Failure` with the code `empty` for a photo
    ///   without bytes, or the connection's errors.
    mutating func next() async throws -> UploadPiece? {
        switch encoding {
        case .raw(let hasBegun): try await nextOfRaw(hasBegun)
        case .multipart(let parser): try await nextOfForm(parser)
        case .ended: nil
        }
    }

    /// Reads the rest and discards it.
    mutating func drain() async throws {
        while try await chunk() != nil {}
    }

    // MARK: - Photo as the body

    private mutating func nextOfRaw(_ hasBegun: Bool) async throws -> UploadPiece? {
        if let buffer = pending {
            pending = nil
            return .photoBytes(buffer)
        }
        if let buffer = try await chunk() {
            guard !hasBegun else { return .photoBytes(buffer) }
            pending = buffer
            encoding = .raw(hasBegun: true)
            return .photoBegan(name: photoName)
        }
        encoding = .ended
        if hasBegun { return .photoEnded }
        let type = headers[.contentType]?.lowercased() ?? ""
        guard !type.hasPrefix("image/"), !type.hasPrefix("application/octet-stream") else {
            throw Failure(.emptyFile, "the photo is empty", hint: "Send the photo's bytes.")
        }
        return nil
    }

    // MARK: - Form

    private mutating func nextOfForm(_ parser: MultipartParser) async throws -> UploadPiece? {
        var parser = parser
        defer { if case .multipart = encoding { encoding = .multipart(parser) } }
        switch try await nextEvent(&parser) {
        case .partBegan(let headers) where headers.name == "photo":
            return .photoBegan(name: headers.fileName ?? "photo")
        case .partBegan(let headers):
            guard headers.fileName == nil else {
                throw Failure(
                    .badRequest, "there is no file field \"\(headers.name.prefix(80))\"",
                    hint: "Use the name photo for the fields of all photos.")
            }
            return .field(name: headers.name, value: try await fieldValue(headers.name, &parser))
        case .partBytes(let buffer): return .photoBytes(buffer)
        case .partEnded: return .photoEnded
        case .finished:
            try await drain()
            encoding = .ended
            return nil
        }
    }

    private mutating func fieldValue(_ name: String, _ parser: inout MultipartParser) async throws -> String {
        var value = ByteBuffer()
        while case .partBytes(let buffer) = try await nextEvent(&parser) {
            guard value.readableBytes + buffer.readableBytes <= Self.maxFieldBytes else {
                throw Failure(.badRequest, "the field \(name.prefix(80)) has more than \(Self.maxFieldBytes) bytes")
            }
            value.writeImmutableBuffer(buffer)
        }
        guard let text = String(validating: value.readableBytesView, as: UTF8.self) else {
            throw Failure(.badRequest, "the field \(name.prefix(80)) is not UTF-8")
        }
        return text
    }

    private mutating func nextEvent(_ parser: inout MultipartParser) async throws -> MultipartParser.Event {
        while true {
            if let event = try parser.next() { return event }
            guard let buffer = try await chunk() else {
                throw Failure(
                    .badMultipart, "the form ends before its closing boundary", hint: "Send the whole form again.")
            }
            parser.feed(buffer)
        }
    }

    // MARK: - Connection

    /// Returns the next bytes; nil at the end of a complete body. A broken connection does not end it.
    private mutating func chunk() async throws -> ByteBuffer? {
        while let buffer = try await chunks.next(isolation: #isolation) {
            byteCount += buffer.readableBytes
            try limits.check(byteCount, of: headers)
            if buffer.readableBytes > 0 { return buffer }
        }
        try Task.checkCancellation()
        if let announced = headers[.contentLength].flatMap({ Int($0) }), announced != byteCount {
            throw Failure(.badRequest, "the body ended after \(byteCount) of \(announced) bytes")
        }
        return nil
    }
}
