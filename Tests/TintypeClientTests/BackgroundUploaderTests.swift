import DaemonSupport
import Foundation
import Testing
import TintypeClient
import TintypeModel

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The background uploader over a session", .timeLimit(.minutes(5)))
struct BackgroundUploaderTests {
    private func withDraft(
        _ body: (URLSessionBackgroundUploader, ServiceClient, Upload.ID) async throws -> Void
    ) async throws {
        try await ServiceProcess.run { service in
            try await service.addUser("ann")
            try await URLSessionTransport.run { network in
                let client = ServiceClient(service: service.address, keychain: MemoryKeychain(), transport: network)
                try await client.session.signIn(
                    email: "ann@example.org", password: ServiceProcess.password(of: "ann"))
                let draft = try await client.beginDraft(NewPost(), idempotencyKey: "d").value.id
                try await body(URLSessionBackgroundUploader(configuration: .ephemeral), client, draft)
            }
        }
    }

    private func request(
        _ client: ServiceClient, _ draft: Upload.ID, _ file: URL = Fixtures.photo, key: String = "k"
    ) async throws -> TransportRequest {
        let count = try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
        return try await client.photoRequest(
            file, byteCount: Int64(count), of: draft, name: "a.jpg", alternativeText: "A lake", idempotencyKey: key)
    }

    @Test("An upload is sent once, however often it is begun and awaited, until it is forgotten")
    func once() async throws {
        try await withDraft { uploader, client, draft in
            #expect(try await uploader.answer(toUploadNamed: "a") { _ in } == nil)
            let message = try await request(client, draft)
            for _ in 0..<3 { try await uploader.begin(message, named: "a") }
            for _ in 0..<2 {
                let answer = try await uploader.answer(toUploadNamed: "a") { _ in }
                #expect(answer?.status == 201)
                let upload = try JSONDecoder().decode(Upload.self, from: try #require(answer?.body))
                #expect(upload.id == draft && upload.photos.map(\.alternativeText) == ["A lake"])
            }
            await uploader.end(uploadNamed: "a")
            #expect(try await uploader.answer(toUploadNamed: "a") { _ in } == nil)
        }
    }

    @Test("Refusals are answers, and errors of the network are thrown")
    func failures() async throws {
        try await withDraft { uploader, client, draft in
            var message = try await request(client, draft)
            message.headers["Authorization"] = "Bearer x"
            try await uploader.begin(message, named: "token")
            #expect(try await uploader.answer(toUploadNamed: "token") { _ in }?.status == 401)
            try await uploader.begin(try await request(client, "-P6xJd7DkF0an8Cy0qLh"), named: "draft")
            #expect(try await uploader.answer(toUploadNamed: "draft") { _ in }?.status == 404)
            message.url = try #require(URL(string: "http://127.0.0.1:1/v1/uploads"))
            try await uploader.begin(message, named: "nobody")
            await #expect(throws: TransportError.self) {
                try await uploader.answer(toUploadNamed: "nobody") { _ in }
            }
        }
    }

    @Test("Requests that cannot be sent are refused before the session has them")
    func unfit() async throws {
        try await withDraft { uploader, client, draft in
            let message = try await request(client, draft)
            let missing = URL(fileURLWithPath: "/nowhere/a.jpg")
            let bodies: [TransportRequest.Body] = [
                .none, .data(Data([1])), .file(Fixtures.photo, offset: 1, count: 1),
                .file(missing, offset: 0, count: 1),
            ]
            for body in bodies {
                var unfit = message
                unfit.body = body
                await #expect(throws: TransportError.self) { try await uploader.begin(unfit, named: "a") }
            }
            var unfit = message
            unfit.url = missing
            await #expect(throws: TransportError.self) { try await uploader.begin(unfit, named: "a") }
            #expect(try await uploader.answer(toUploadNamed: "a") { _ in } == nil)
        }
    }

    @Test("An upload that is ended is known no longer to those who wait for it, and its name can be used again")
    func ended() async throws {
        try await withDraft { uploader, client, draft in
            var message = try await request(client, draft)
            let good = message
            let (arrived, arrival) = AsyncStream.makeStream(of: Void.self)
            // This server does not answer. It reads the photo first: Foundation traps on Linux when a task is cancelled
            // while its file is read.
            try await ScriptedServer.run({ connection in
                _ = try connection.request()
                arrival.yield()
                try connection.waitForEnd()
            }) { address in
                message.url = address
                try await uploader.begin(message, named: "a")
                for await _ in arrived.prefix(1) {}
                let cancelled = Task { try await uploader.answer(toUploadNamed: "a") { _ in } }
                cancelled.cancel()
                await #expect(throws: CancellationError.self) { try await cancelled.value }
                async let answer = uploader.answer(toUploadNamed: "a") { _ in }
                await uploader.end(uploadNamed: "a")
                #expect(try await answer == nil)
            }
            try await uploader.begin(good, named: "a")
            #expect(try await uploader.answer(toUploadNamed: "a") { _ in }?.status == 201)
        }
    }
}
