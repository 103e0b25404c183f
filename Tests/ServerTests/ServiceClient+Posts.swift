import Client
import Foundation
import HTTPTypes
import NIOCore

/// An answer of the service, read to its end.
struct Answer: Sendable {
    let status: Int
    let headers: HTTPFields
    let body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The body as JSON; null when it is none.
    var json: JSON { (try? JSONDecoder().decode(JSON.self, from: Data(body))) ?? .null }
}

/// A JSON value, to look into.
enum JSON: Decodable, Sendable, Hashable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let string = try? value.decode(String.self) {
            self = .string(string)
        } else if let array = try? value.decode([JSON].self) {
            self = .array(array)
        } else {
            self = .object(try value.decode([String: JSON].self))
        }
    }

    subscript(key: String) -> JSON { if case .object(let object) = self { object[key] ?? .null } else { .null } }
    subscript(index: Int) -> JSON {
        if case .array(let array) = self, array.indices.contains(index) { array[index] } else { .null }
    }
    var string: String? { if case .string(let string) = self { string } else { nil } }
    var int: Int? { if case .number(let number) = self { Int(exactly: number) } else { nil } }
    var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }
    var array: [JSON] { if case .array(let array) = self { array } else { [] } }
    var keys: Set<String> { if case .object(let object) = self { Set(object.keys) } else { [] } }
}

extension ServiceClient {
    /// Sends a request and reads the answer to its end.
    func ask(
        _ method: HTTPRequest.Method, _ path: String, headers: HTTPFields = [:], body: RequestBody = .none
    ) async throws -> Answer {
        try await send(method, path, headers: headers, body: body) { response, body in
            let bytes = try await body.collect(upTo: 64 << 20)
            return Answer(
                status: response.status.code, headers: response.headerFields, body: Array(bytes.readableBytesView))
        }
    }

    func get(_ path: String, headers: HTTPFields = [:]) async throws -> Answer {
        try await ask(.get, path, headers: headers)
    }

    /// Publishes a text, for tests that need a post quickly; its id.
    func post(_ text: String, by user: String = "maria") async throws -> String? {
        try await ask(.post, "/v1/uploads?user=\(user)&text=\(text)").json["post_id"].string
    }

    /// Publishes a photo; its post.
    func post(_ photo: [UInt8], by user: String = "maria") async throws -> JSON {
        try await ask(.post, "/v1/uploads?user=\(user)", body: .bytes(photo)).json
    }
}

extension HTTPField.Name {
    static func named(_ name: String) -> HTTPField.Name {
        HTTPField.Name(name) ?? .accept
    }
}

/// A file of the project's own pictures.
func fixture(_ name: String) throws -> [UInt8] {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    return Array(try Data(contentsOf: tests.appending(path: "../Fixtures/\(name)").standardizedFileURL))
}

/// A `multipart/form-data` body.
struct Form: Sendable {
    static let contentType: HTTPFields = [.contentType: "multipart/form-data; boundary=\(boundary)"]
    private static let boundary = "----tintype0123456789"

    private(set) var bytes: [UInt8] = []

    func field(_ name: String, _ value: String) -> Form {
        part("form-data; name=\"\(name)\"", Array(value.utf8))
    }

    func photo(_ bytes: [UInt8], named fileName: String = "a.jpg", field: String = "photo") -> Form {
        part("form-data; name=\"\(field)\"; filename=\"\(fileName)\"\r\nContent-Type: image/jpeg", bytes)
    }

    func part(_ disposition: String, _ content: [UInt8]) -> Form {
        var form = self
        form.bytes += "--\(Self.boundary)\r\nContent-Disposition: \(disposition)\r\n\r\n".utf8
        form.bytes += content + "\r\n".utf8
        return form
    }

    /// The whole body.
    var closed: [UInt8] { bytes + "--\(Self.boundary)--\r\n".utf8 }
}

/// Bytes in chunks of a size, to cut anything anywhere.
func chunks(_ bytes: [UInt8], of count: Int) -> AsyncThrowingStream<ByteBuffer, any Error> {
    AsyncThrowingStream { continuation in
        for start in stride(from: 0, to: bytes.count, by: count) {
            continuation.yield(ByteBuffer(bytes: bytes[start..<min(start + count, bytes.count)]))
        }
        continuation.finish()
    }
}
