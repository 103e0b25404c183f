package import Client
import Foundation
package import HTTPTypes
import NIOCore

/// A complete answer of the service.
package struct Answer: Sendable {
    package let status: Int
    package let headers: HTTPFields
    package let body: [UInt8]

    package init(status: Int, headers: HTTPFields, body: [UInt8]) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }

    package var text: String { String(decoding: body, as: UTF8.self) }

    /// The body as JSON; null when it is not JSON.
    package var json: JSON { (try? JSONDecoder().decode(JSON.self, from: Data(body))) ?? .null }

    /// The body as a document whose names are written with underscores.
    package func json<Document: Decodable>(_ type: Document.Type) throws -> Document {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(type, from: Data(body))
    }
}

/// A JSON value with accessors for tests.
package enum JSON: Decodable, Sendable, Hashable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    package init(from decoder: any Decoder) throws {
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

    package subscript(key: String) -> JSON {
        if case .object(let object) = self { object[key] ?? .null } else { .null }
    }
    package subscript(index: Int) -> JSON {
        if case .array(let array) = self, array.indices.contains(index) { array[index] } else { .null }
    }
    package var string: String? { if case .string(let string) = self { string } else { nil } }
    package var int: Int? { if case .number(let number) = self { Int(exactly: number) } else { nil } }
    package var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }
    package var array: [JSON] { if case .array(let array) = self { array } else { [] } }
    package var keys: Set<String> { if case .object(let object) = self { Set(object.keys) } else { [] } }
    /// The object without the times of the entity, which differ in each run.
    package var withoutTimes: JSON {
        guard case .object(let object) = self else { return self }
        return .object(object.filter { !["created", "updated"].contains($0.key) })
    }
}

/// A client that sends requests to the service, and reads each answer to its end.
package protocol AskingClient: Sendable {
    /// Sends a request.
    func answer(
        to method: HTTPRequest.Method, _ path: String, headers: HTTPFields, body: RequestBody
    ) async throws -> Answer
}

extension AskingClient {
    package func ask(
        _ method: HTTPRequest.Method, _ path: String, headers: HTTPFields = [:], body: RequestBody = .none
    ) async throws -> Answer {
        try await answer(to: method, path, headers: headers, body: body)
    }

    package func get(_ path: String, headers: HTTPFields = [:]) async throws -> Answer {
        try await ask(.get, path, headers: headers)
    }
}

extension ServiceClient: AskingClient {
    package func answer(
        to method: HTTPRequest.Method, _ path: String, headers: HTTPFields, body: RequestBody
    ) async throws -> Answer {
        try await send(method, path, headers: headers, body: body) { response, body in
            let bytes = try await body.collect(upTo: 64 << 20)
            return Answer(
                status: response.status.code, headers: response.headerFields, body: Array(bytes.readableBytesView))
        }
    }
}
