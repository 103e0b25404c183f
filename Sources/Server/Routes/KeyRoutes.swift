import API
import Access
package import Accounts
import Cryptography
import HTTPTypes
import Hummingbird
package import Logging
import NIOCore
package import Requests
import Transport
import Tree

/// `/v1/keys`: the admin keys, with which servers have full access over TCP; `/v1/signing-keys`, the keys that sign
/// tokens; and `/v1/media-keys`, the keys that sign addresses of photos.
package struct KeyRoutes: Sendable {
    let keys: AdminKeys
    let signingKeys: SigningKeys
    let mediaKeys: MediaSigningKeys
    /// Logs the names of new keys.
    let logger: Logger

    package init(
        keys: AdminKeys, signingKeys: SigningKeys, mediaKeys: MediaSigningKeys, logger: Logger
    ) {
        self.keys = keys
        self.signingKeys = signingKeys
        self.mediaKeys = mediaKeys
        self.logger = logger
    }

    package func add(to routes: inout RouteTable) {
        let name = Schema.text(matching: "^[-0-9A-Z_a-z]{1,64}$")
        let list = Endpoint.admin(
            for: "the list of admin keys",
            "listAdminKeys", in: .accounts, "List the admin keys, without their secrets",
            answers: [.lines(.document(AdminKeyDocument.self))], run: list)
        let make = Endpoint.admin(
            for: "creating an admin key", isProven: true,
            "createAdminKey", in: .accounts, "Create an admin key", details: "Its secret is returned only once.",
            [
                Parameter.query("name", name, "the name of the key").required,
                .query("lifetime", .integer(1...315_360_000), "its lifetime in seconds; unlimited by default"),
            ],
            answers: [.json(AdminKeyDocument.self, .created)], errors: [.wrongState], run: make)
        routes.add("/v1/keys", [.get: list, .post: make])
        let remove = Endpoint.admin(
            for: "deleting an admin key", isProven: true,
            "deleteAdminKey", in: .accounts, "Delete an admin key, which is then invalid", [.path("name", name)],
            answers: [.json(AdminKeyDeletionDocument.self)], errors: [.notFound], run: remove)
        routes.add("/v1/keys/{name}", [.delete: remove])
        let rotate = Endpoint.admin(
            for: "replacing the key that signs tokens", isProven: true,
            "rotateSigningKey", in: .accounts, "Replace the key that signs tokens",
            [.query("compromised", .flag, "whether all tokens issued so far become invalid")],
            answers: [.json(SigningKeyDocument.self)], run: rotate)
        routes.add("/v1/signing-keys", [.post: rotate])
        let rotateMedia = Endpoint.admin(
            for: "replacing the key that signs addresses", isProven: true,
            "rotateMediaKey", in: .accounts, "Replace the key that signs addresses of photos",
            [.query("compromised", .flag, "whether all addresses signed so far become invalid")],
            answers: [.json(SigningKeyDocument.self)], run: rotateMedia)
        routes.add("/v1/media-keys", [.post: rotateMedia])
    }

    /// Lists the keys, a JSON object a line.
    @Sendable private func list(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let entries = try await answering { () throws(IdentityError) in try await keys.list() }
        var lines = ByteBuffer()
        for entry in entries { lines.writeBytes(AdminKeyDocument(entry).json() + "\n".utf8) }
        return Response(
            status: .ok, headers: [.contentType: "application/x-ndjson"], body: ResponseBody(byteBuffer: lines))
    }

    @Sendable private func make(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let (name, lifetime) = (context.query["name"] ?? "", try lifetime(in: context.query))
        let (entry, text) = try await answering { () throws(IdentityError) in
            try await keys.add(name, lifetimeSeconds: lifetime)
        }
        // The audit log does not contain queries.
        logger.notice("an admin key was created", metadata: ["key": "\(name)"])
        let document = AdminKeyDocument(entry, key: text.text)
        return .json(document, status: .created, headers: [.cacheControl: "no-store"])
    }

    @Sendable private func remove(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let name = context.parameters.get("name") ?? ""
        try await answering { () throws(IdentityError) in try await keys.remove(name) }
        return .json(AdminKeyDeletionDocument(name: name))
    }

    @Sendable private func rotate(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let isCompromised = try context.query.flag("compromised")
        let ring = try await signingKeys.rotate(isCompromised: isCompromised)
        return .json(SigningKeyDocument(signsFrom: ring.newestKeyStart.milliseconds))
    }

    @Sendable private func rotateMedia(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let isCompromised = try context.query.flag("compromised")
        try await mediaKeys.rotate(isCompromised: isCompromised)
        return .json(SigningKeyDocument(signsFrom: WallClock.now().milliseconds))
    }

    private func lifetime(in query: RequestFields) throws(Failure) -> Int64? {
        guard let text = query["lifetime"] else { return nil }
        guard let seconds = Int64(text) else {
            throw Failure(.badRequest, "lifetime=\(text.prefix(80)) is not a number of seconds")
        }
        return seconds
    }
}

extension AdminKeyDocument {
    fileprivate init(_ entry: AdminKeys.Entry, key: String? = nil) {
        self.init(
            name: entry.key.name, created: entry.createdAt.milliseconds, expires: entry.key.expiresAt?.milliseconds,
            key: key)
    }
}
