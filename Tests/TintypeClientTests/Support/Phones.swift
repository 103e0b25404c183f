import DaemonSupport
import Foundation
import Testing
import TintypeClient
import TintypeModel

/// The devices of two people, at a running service.
struct Phones {
    let service: ServiceProcess
    let ann: ServiceClient
    let bob: ServiceClient

    /// Starts a service with the accounts `ann` and `bob`, and signs both in.
    static func run(_ arguments: [String] = [], _ body: (Phones) async throws -> Void) async throws {
        try await ServiceProcess.run(arguments) { service in
            for name in ["ann", "bob"] { try await service.addUser(name) }
            try await body(
                Phones(
                    service: service, ann: try await signedIn("ann", service), bob: try await signedIn("bob", service)))
        }
    }

    /// A device on which nobody is signed in.
    static func client(_ service: ServiceProcess) -> ServiceClient {
        ServiceClient(service: service.address, keychain: FakeKeychain(), transport: URLSessionTransport())
    }

    static func signedIn(_ name: String, _ service: ServiceProcess) async throws -> ServiceClient {
        let client = client(service)
        try await client.session.signIn(email: "\(name)@example.org", password: ServiceProcess.password(of: name))
        return client
    }

    /// A device of nobody.
    var stranger: ServiceClient { Self.client(service) }
}

/// A request that the service refuses, and the code of its answer.
struct Refusal {
    let code: Problem.Code
    let request: @Sendable () async throws -> Void

    init<Value>(_ code: Problem.Code, _ request: @escaping @Sendable () async throws -> Answer<Value>) {
        (self.code, self.request) = (code, { _ = try await request() })
    }

    /// Sends the requests, and compares the codes.
    static func check(_ refusals: [Refusal]) async {
        for (index, refusal) in refusals.enumerated() {
            let error = await #expect(throws: Problem.self, "refusal \(index) of \(refusal.code.rawValue)") {
                try await refusal.request()
            }
            #expect(error?.code == refusal.code, "refusal \(index): \(String(describing: error))")
        }
    }
}

/// A file of the folder `Fixtures`.
func fixture(_ name: String) -> URL {
    URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        .appendingPathComponent("../../../Fixtures/\(name)").standardizedFileURL
}

extension ServiceClient {
    /// Publishes a text, and returns its post.
    func post(text: String) async throws -> Post {
        try #require(try await publish(NewPost(text)).value.post)
    }
}

extension UploadOutcome {
    /// The post; nil if it is not published.
    var post: Post? { if case .published(let post) = self { post } else { nil } }
}
