import Foundation
import Testing
import TintypeModel

@testable import TintypeClient

@Suite("Requests of a client")
struct ServiceClientTests {
    @Test(
        "A token is sent to the service alone",
        arguments: [
            ("/media/ann/p/a.jpg", "https://photos.example.org/media/ann/p/a.jpg", true),
            (
                "https://photos.example.org/v0/b/x/o/a%2Fb?alt=media",
                "https://photos.example.org/v0/b/x/o/a%2Fb?alt=media", true
            ),
            ("https://photos.example.org:8443/a.jpg", "https://photos.example.org:8443/a.jpg", false),
            ("http://photos.example.org/a.jpg", "http://photos.example.org/a.jpg", false),
            ("https://photos.example.org@evil.example/a.jpg", "https://photos.example.org@evil.example/a.jpg", false),
            ("//evil.example/a.jpg", "https://evil.example/a.jpg", false),
        ])
    func mediaToken(address: String, url: String, isAuthorized: Bool) async throws {
        let phone = try FakePhone()
        try await phone.signIn()
        let sent = Guarded<[TransportRequest]>([])
        let client = ServiceClient(
            service: phone.client.service, keychain: phone.keychain,
            transport: FakeTransport { request in
                if request.url.path.hasSuffix("/v1/token") { return try await phone.identity.transport.answer(request) }
                sent.withLock { $0.append(request) }
                return TransportResponse(status: 200, body: Data("x".utf8))
            }, clock: phone.clock)
        #expect(try await client.media(at: MediaAddress(address)) == Data("x".utf8))
        let requests = sent.withLock { $0 }
        #expect(requests.map(\.url.absoluteString) == [url])
        #expect((requests.first?.headers["Authorization"] != nil) == isAuthorized)
    }

    @Test("A rejected token is renewed also for requests whose answers have no body, and for streams")
    func rejectionWithoutBody() async throws {
        let phone = try FakePhone()
        try await phone.signIn()
        let count = Guarded(0)
        let client = ServiceClient(
            service: phone.client.service, keychain: phone.keychain,
            transport: FakeTransport { request in
                if request.url.path.hasSuffix("/v1/token") { return try await phone.identity.transport.answer(request) }
                let isFirst = count.withLock {
                    $0 += 1
                    return $0 % 2 == 1
                }
                let body = request.method == "HEAD" ? "" : #"{"error":"Auth token is expired"}"#
                if isFirst { return TransportResponse(status: 401, body: Data(body.utf8)) }
                return TransportResponse(status: 200, headers: ["Upload-Offset": "7", "Upload-Length": "9"])
            }, clock: phone.clock)
        #expect(
            try await client.offset(of: "u").value
                == UploadOffset(byteCount: 7, expectedByteCount: 9, isComplete: false))
        _ = try await client.events(for: ServiceRequest("GET", ["v1", "posts", "events"]))
        #expect(count.withLock { $0 } == 4)
        #expect(await phone.identity.renewalCount == 3)
    }

    @Test("An answer that is none of the service is an error")
    func malformedAnswers() async throws {
        let phone = try FakePhone()
        for (status, body) in [(200, ""), (200, "<html>"), (200, "[]"), (302, ""), (502, "<html>")] {
            let client = ServiceClient(
                service: phone.client.service, keychain: FakeKeychain(),
                transport: FakeTransport { _ in TransportResponse(status: status, body: Data(body.utf8)) })
            await #expect(throws: (any Error).self, "\(status) \(body)") { try await client.posts() }
            await #expect(throws: (any Error).self, "\(status) \(body)") { try await client.offset(of: "u") }
            await #expect(throws: (any Error).self, "\(status) \(body)") {
                try await client.beginPhoto(of: "u", byteCount: 1, name: "x")
            }
        }
    }

    @Test("The boundary of a form is in none of its texts")
    func form() throws {
        let form = MultipartForm([("text", "--tintype\r\nContent-Disposition: form-data; name=\"user\"")])
        let boundary = try #require(form.contentType.split(separator: "boundary=").last)
        #expect(boundary != "tintype" && boundary.utf8.count <= 70)
        let text = String(decoding: form.body, as: UTF8.self)
        #expect(text.components(separatedBy: "--\(boundary)").count == 3)
    }

    @Test(
        "An address with hostile parts does not lead elsewhere",
        arguments: [
            (["v1", "posts", "a/b?c#d"], "https://photos.example.org/v1/posts/a%2Fb%3Fc%23d"),
            (["v1", "posts", "é %"], "https://photos.example.org/v1/posts/%C3%A9%20%25"), (["v1", ".."], nil),
            (["v1", "."], nil), (["v1", ""], nil),
        ])
    func addresses(path: [String], address: String?) throws {
        let service = try #require(URL(string: "https://photos.example.org//"))
        #expect(ServiceRequest("GET", path).url(relativeTo: service)?.absoluteString == address)
    }
}
