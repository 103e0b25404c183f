import Client
import HTTPTypes
import NIOCore
import TestSupport
import Testing

extension AskingClient {
    /// Publishes a text, for tests that need a post quickly, and returns its id.
    func post(_ text: String, by user: String = "maria") async throws -> String? {
        try await ask(.post, "/v1/uploads?user=\(user)&text=\(text)").json["post_id"].string
    }

    /// Publishes a photo and returns its post.
    func post(_ photo: [UInt8], by user: String = "maria") async throws -> JSON {
        try await ask(.post, "/v1/uploads?user=\(user)", body: .bytes(photo)).json
    }

    /// Runs a job over posts to its end, and returns its final state.
    ///
    /// - Parameter order: The order, as JSON.
    func job(_ order: String = #"{"kind":"rethumb"}"#) async throws -> JSON {
        let begun = try await ask(
            .post, "/v1/jobs", headers: [.contentType: "application/json"], body: .bytes(Array(order.utf8)))
        let id = try #require(begun.json["id"].string, "\(begun.text)")
        func present() async throws -> JSON? {
            try await get("/v1/jobs").json["jobs"].array.first { $0["id"].string == id }
        }
        try await eventually { try await present()?["state"].string != "running" }
        return try #require(try await present())
    }
}

extension HTTPField.Name {
    static func named(_ name: String) -> HTTPField.Name {
        HTTPField.Name(name) ?? .accept
    }
}

/// Returns a file of the project's own pictures.
func fixture(_ name: String) throws -> [UInt8] { try Fixture.bytes(name) }

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

    /// The complete body, with the closing boundary.
    var closed: [UInt8] { bytes + "--\(Self.boundary)--\r\n".utf8 }
}

/// Returns bytes in chunks of a size, so that parsers are interrupted at any byte.
func chunks(_ bytes: [UInt8], of count: Int) -> AsyncThrowingStream<ByteBuffer, any Error> {
    AsyncThrowingStream { continuation in
        for start in stride(from: 0, to: bytes.count, by: count) {
            continuation.yield(ByteBuffer(bytes: bytes[start..<min(start + count, bytes.count)]))
        }
        continuation.finish()
    }
}
