import HTTPTypes
import Hummingbird
import NIOCore

@testable import API
@testable import Access
@testable import Model
@testable import Requests
@testable import Server
@testable import Store
@testable import TreeModel
@testable import Uploads

/// The invariants of the parsers of the bucket's requests, under any bytes: accepted input is within its limits, and is
/// parsed as the same after it was written again; a body is parsed as the same in any pieces.
enum StorageChecks {
    struct Complaint: Error, CustomStringConvertible {
        let description: String
    }

    /// Parses the bytes as an address, a query, a name, metadata, the head of a request, and a body.
    ///
    /// - Throws: `Complaint`.
    static func check(_ bytes: [UInt8]) async throws {
        let text = String(decoding: bytes, as: UTF8.self)
        try checkAddress(text)
        try checkQuery(text)
        try checkName(text)
        try checkOrder(bytes)
        try checkMetadata(bytes)
        try checkStep(text)
        try checkRange(text)
        try checkBoundary(text)
        try await checkBody(bytes)
        try await checkContent(bytes)
    }

    private static func expect(_ isTrue: Bool, _ complaint: @autoclosure () -> String) throws {
        if !isTrue { throw Complaint(description: complaint()) }
    }

    /// Whether texts are the same byte by byte: `==` ignores differences in normalization.
    private static func areSame(_ one: String?, _ other: String?) -> Bool {
        one.map { Array($0.utf8) } == other.map { Array($0.utf8) }
    }

    private static func escaped(_ text: String) -> String { PercentEncoding.encode(text.utf8) }

    // MARK: Addresses

    private static func checkAddress(_ text: String) throws {
        guard let address = StorageAddress(text) else { return }
        let name = address.name.map { "/\(escaped($0))" } ?? ""
        let again = StorageAddress("/v0/b/\(escaped(address.bucket))/o\(name)")
        try expect(
            areSame(again?.bucket, address.bucket) && areSame(again?.name, address.name),
            "\(address) is read again as \(String(describing: again))")
        guard let object = address.name.flatMap({ ObjectName($0) }) else { return }
        try checkUploadAddress(of: object, in: address.bucket)
        let download = ObjectAddress("http://h:9/v0/b/\(escaped(address.bucket))/o\(name)?alt=media&token=t")
        try expect(download?.name == object, "\(object) is not found at its address")
    }

    /// Checks that the address of an upload leads to that upload.
    private static func checkUploadAddress(of name: ObjectName, in bucket: String) throws {
        guard let id = PostID("-OeVWmdPvLGxNyEv6bTq") else { throw Complaint(description: "no id") }
        let upload = UploadAddress(id, secret: "s.3")
        let head = HTTPRequest(method: .post, scheme: "http", authority: "h:9", path: "/")
        let url = upload.url(of: name, in: bucket, for: head, publicURL: nil)
        let parts = url.dropFirst("http://h:9".count).split(separator: "?", maxSplits: 1)
        let address = StorageAddress(parts[0])
        let query = try StorageQuery(String(parts[1]))
        let again = query[UploadAddress.field].flatMap { UploadAddress($0) }
        try expect(
            areSame(address?.bucket, bucket) && address?.name == nil && areSame(query["name"], name.description)
                && again?.id == id && again?.secret == upload.secret, "\(url) is another address")
    }

    private static func checkQuery(_ text: String) throws {
        guard let query = try? StorageQuery(text) else { return }
        let names = ["name", "prefix", "delimiter", "maxResults", "pageToken", "alt", "token", UploadAddress.field]
        let pairs = names.compactMap { name in query[name].map { "\(name)=\(escaped($0))" } }
        // The escaped form may be too long.
        if let again = try? StorageQuery(pairs.joined(separator: "&")) {
            for name in names { try expect(areSame(again[name], query[name]), "\(name) changes") }
        }
        if let upload = query[UploadAddress.field].flatMap({ UploadAddress($0) }) {
            let again = UploadAddress("\(upload.id).\(upload.secret)")
            try expect(again?.id == upload.id && areSame(again?.secret, upload.secret), "\(upload) changes")
        }
    }

    private static func checkName(_ text: String) throws {
        if let address = ObjectAddress(text) {
            let (base, name) = (address.base, address.name)
            let again = ObjectAddress("\(base.origin)/v0/b/\(base.bucket)/o/\(escaped(name.description))")
            try expect(again?.name == name && again?.base == base, "\(address) changes")
        }
        guard let name = ObjectName(text) else { return }
        try expect(
            (1...1024).contains(text.utf8.count) && !text.utf8.contains(where: { [0, 0x0A, 0x0D].contains($0) }),
            "\(name) is not a name")
        try expect(ObjectKey.name(at: ObjectKey.path(name)) == name, "\(name) is not found by its key")
        try expect(ObjectAddress.name(inURI: "gs://b/\(text)") == name, "\(name) is not found by its URI")
    }

    /// Checks that keys are in the order of the names that they encode.
    private static func checkOrder(_ bytes: [UInt8]) throws {
        let bytes = bytes.prefix(2 * ObjectName.maxBytes)
        let names = [bytes.prefix(bytes.count / 2), bytes.suffix(bytes.count / 2)].map { Array($0) }
        let keys = names.map { name in ObjectKey.path(name).keys.map { Array($0.string.utf8) } }
        let areInOrder = keys[0].lexicographicallyPrecedes(keys[1]) { $0.lexicographicallyPrecedes($1) }
        try expect(
            areInOrder == names[0].lexicographicallyPrecedes(names[1]), "the keys of \(names) are in another order")
    }

    // MARK: Metadata

    private static func checkMetadata(_ bytes: [UInt8]) throws {
        guard let json = try? ObjectBody.json(ByteBuffer(bytes: bytes)) else { return }
        var metadata = ObjectMetadata()
        do {
            try metadata.merge(json)
        } catch {
            return try expect(error.code == .badRequest, "metadata is refused with \(error.code)")
        }
        var again = metadata
        try again.merge(json)
        try expect(metadata == again, "\(metadata) becomes \(again)")
        for text in metadata.fields.values {
            try expect(
                text.utf8.count <= 1024 && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F },
                "\(text) is not a value of a header field")
        }
        let customBytes = metadata.custom.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        try expect(customBytes <= 8 << 10, "the custom metadata has \(customBytes) bytes")
        try expect(
            metadata.tokens.count <= 10 && metadata.tokens.allSatisfy { (1...128).contains($0.utf8.count) },
            "\(metadata.tokens) are not tokens")
        let name = json["name"]?.string.flatMap { ObjectName($0) } ?? ObjectName("u1/full/-P1/a.jpg")
        if let name { try checkRecord(of: name, metadata) }
    }

    /// Checks that the record of an object is read again unchanged, and that clients may send back the metadata they
    /// receive.
    private static func checkRecord(of name: ObjectName, _ metadata: ObjectMetadata) throws {
        let time = Timestamp(milliseconds: 1_795_329_600_005)
        var object = StoredObject(
            name: name, blob: try BlobName(userID: "u1", postID: "-P1", fileName: "a"), objectGeneration: 2,
            metageneration: 1, createdAt: time, updatedAt: time, byteCount: 3,
            md5: Array(0..<16), crc32c: Array(0..<4), metadata: metadata, tokens: metadata.tokens)
        // Tokens belong to the object, not to the metadata.
        object.metadata.choose(tokens: [])
        try expect(try StoredObject(name, object.value) == object, "\(object) is not read again")
        let document = ObjectDocument(object: object, bucket: "b").json
        try expect(JSONValue(text: document.text) == document, "\(document) is not JSON")
        var patched = object
        do {
            try patched.metadata.merge(document)
        } catch {
            throw Complaint(description: "the document of \(name) is refused: \(error)")
        }
        try expect(ObjectDocument(object: patched, bucket: "b").json == document, "\(document) changes its object")
    }

    // MARK: Header fields

    /// Checks that a method and header fields, a line each, that are a step of an upload can be written again, in
    /// either form.
    private static func checkStep(_ text: String) throws {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        var fields = HTTPFields()
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, let name = HTTPField.Name(String(parts[0])) else { continue }
            fields[name] = parts[1].drop { $0 == " " }.description
        }
        guard let method = HTTPRequest.Method(String(lines[0])), let action = action(method, fields) else { return }
        let isRanged = fields[.googUploadCommand] == nil
        let numbers = isRanged ? fields[.contentRange]?.dropFirst("bytes ".count) : fields[.googUploadOffset]?[...]
        try expect(
            action.isWithoutBytes || numbers?.utf8.allSatisfy { "0123456789-/*".utf8.contains($0) } != false,
            "\(fields) is parsed as \(action)")
        switch action {
        case .query:
            try expect(self.action(.post, [.googUploadCommand: "query"]) == action, "a query changes")
            try expect(self.action(.put, [.contentRange: "bytes */*"]) == action, "a query changes")
        case .cancel:
            try expect(self.action(.delete, [:]) == action, "\(action) changes")
        case .receive(let offset, let isLast, let length):
            try expect(offset ?? 0 >= 0 && length ?? .max >= offset ?? 0, "\(action) is out of range")
            if isRanged {
                let again = self.action(.put, [.contentRange: range(offset ?? 0, isLast: isLast, length)])
                try expect(again == action || length == nil && isLast, "\(action) changes")
            }
            guard offset != nil || isLast else { throw Complaint(description: "\(action) has no offset") }
            let command = offset == nil ? "finalize" : isLast ? "upload, finalize" : "upload"
            var again: HTTPFields = [.googUploadCommand: command]
            again[.googUploadOffset] = offset.map(String.init)
            try expect(
                self.action(.post, again) == .receive(offset: offset, isLast: isLast, length: nil),
                "\(action) changes")
        }
    }

    private static func action(_ method: HTTPRequest.Method, _ fields: HTTPFields) -> UploadStep.Action? {
        let head = HTTPRequest(method: method, scheme: "http", authority: "h:9", path: "/", headerFields: fields)
        return try? UploadStep(Request(head: head, body: RequestBody(buffer: ByteBuffer()))).action
    }

    private static func range(_ offset: Int, isLast: Bool, _ length: Int?) -> String {
        if length == 0 { return "bytes */0" }
        return "bytes \(offset)-\(isLast ? (length ?? 1) - 1 : offset)/\(length.map(String.init) ?? "*")"
    }

    private static func checkRange(_ text: String) throws {
        guard case .part(let range) = RequestedRange(header: text, byteCount: 1000) else { return }
        try expect(!range.isEmpty && (0...1000).contains(range.upperBound), "\(range) is not in the file")
        let again = RequestedRange(header: "bytes=\(range.lowerBound)-\(range.upperBound - 1)", byteCount: 1000)
        try expect(again == .part(range), "\(range) is read again as \(again)")
    }

    private static func checkBoundary(_ text: String) throws {
        guard let boundary = HeaderParameters(text)["boundary"],
            (try? MultipartParser(contentType: text, kind: .related)) != nil
        else { return }
        try expect((1...70).contains(boundary.utf8.count), "\(boundary) is not a boundary")
        let quoted = boundary.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        let again = HeaderParameters("multipart/related; boundary=\"\(quoted)\"")["boundary"]
        try expect(areSame(again, boundary), "\(boundary) is read again as \(again ?? "none")")
    }

    // MARK: Bodies

    /// The result of parsing an upload in one request.
    private enum Reading: Equatable {
        case object(JSONValue?, contentType: String?, bytes: [UInt8])
        case refused(ErrorCode, String)
    }

    /// Checks that a body is parsed as the same wherever it is cut.
    private static func checkBody(_ body: [UInt8]) async throws {
        let whole = try await read([body])
        let place = body.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % (body.count + 1)
        try await expect(read([Array(body[..<place]), Array(body[place...])]), whole, "cut at \(place)")
        if body.count < 300 { try await expect(read(body.map { [$0] }), whole, "cut everywhere") }
    }

    /// Checks that the bytes of an object are stored and returned unchanged.
    private static func checkContent(_ bytes: [UInt8]) async throws {
        let delimiter = Array("\r\n--b".utf8)
        let isCut = bytes.indices.contains { bytes[$0...].starts(with: delimiter) }
        guard !isCut else { return }
        let pieces = [
            Array("--b\r\nContent-Type: application/json\r\n\r\n{\"a\":1}\r\n--b\r\ncontent-type: x/y\r\n\r\n".utf8),
            bytes, Array("\r\n--b--".utf8),
        ]
        let reading = try await read(pieces)
        try expect(reading == .object(["a": 1], contentType: "x/y", bytes: bytes), "\(bytes) is read as \(reading)")
    }

    private static func expect(_ reading: Reading, _ whole: Reading, _ what: String) throws {
        try expect(reading == whole, "\(what) it is read as \(reading), not \(whole)")
    }

    private static func read(_ pieces: [[UInt8]]) async throws -> Reading {
        let stream = AsyncStream<ByteBuffer> { stream in
            for piece in pieces { stream.yield(ByteBuffer(bytes: piece)) }
            stream.finish()
        }
        let head = HTTPRequest(
            method: .post, scheme: "http", authority: "h:9", path: "/",
            headerFields: [.contentType: "multipart/related; boundary=b"])
        do {
            var parts = try ObjectParts(
                Request(head: head, body: RequestBody(asyncSequence: stream)), maxBytes: 1 << 20)
            let metadata = try await parts.readMetadata()
            var bytes: [UInt8] = []
            while let buffer = try await parts.nextBytes() { bytes += buffer.readableBytesView }
            return .object(metadata?.json, contentType: metadata?.contentType, bytes: bytes)
        } catch let failure as Failure {
            return .refused(failure.code, failure.message)
        }
    }
}

extension UploadStep.Action {
    fileprivate var isWithoutBytes: Bool { [.query, .cancel].contains(self) }
}
