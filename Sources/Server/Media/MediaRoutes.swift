import API
import Access
import Files
import HTTPTypes
import Hummingbird
import Imaging
package import Keeping
import NIOCore
package import Requests
package import Store
import Transport
package import Tree
package import Uploads

/// `/media/{uid}/{postId}/{file}`: the blobs. They may be cached forever, because the bytes of a name never change.
/// Originals are served without their location, unless `location=keep` requests them as they were sent.
package struct MediaRoutes: Sendable {
    private let tree: TreeStore
    private let blobs: any BlobStore
    private let restrictions: ModerationRestrictions
    private let access: MediaAccess
    private let scrubber: OriginalScrubber

    package init(
        _ tree: TreeStore, _ blobs: any BlobStore, _ restrictions: ModerationRestrictions, _ access: MediaAccess,
        settings: SharedSettings
    ) {
        (self.tree, self.blobs, self.restrictions, self.access) = (tree, blobs, restrictions, access)
        scrubber = OriginalScrubber { settings.value.limits.maxInputBytes }
    }

    package func add(to routes: inout RouteTable) {
        let show = Endpoint(
            "getMedia", in: .media, "Download a file of a post",
            details: "Permitted are requesters whom the storage rules permit, and everybody with a signed address.",
            access: .byRules,
            [
                .path("uid", .userID), .path("post", .postID), .path("file", .text),
                .query("token", .text, "the token of a signed address"),
                .query("location", .one(of: MediaLocation.self), Self.locationDetails),
                .header("Range", .text, "one range of bytes"), .header("If-Range", .text, "an entity tag"),
                .header("If-None-Match", .text, "entity tags"),
            ],
            answers: [
                .content("image/*").with(headers: "ETag"),
                .content("image/*", .binary, .partialContent).with(headers: "ETag", "Content-Range"),
                .empty(.notModified),
            ],
            errors: [.notAllowed, .notFound, .rangeNotSatisfiable, .cannotScrub],
            ignoresQuery: true, run: show)
        routes.add("/media/{uid}/{post}/{file}", [.get: show])
    }

    @Sendable private func show(_ request: Request, _ context: HTTPContext) async throws -> Response {
        try await response(of: try name(context), to: request, context)
    }

    /// Returns a file of a post, if the requester may fetch it.
    func response(of name: BlobName, to request: Request, _ context: HTTPContext) async throws -> Response {
        let location = try location(of: name, request)
        let blob = try await open(name)
        var headers = headers(of: name)
        let right = try await judge(name, location, blob.byteCount, headers[.contentType] ?? "", request, context)
        headers[.cacheControl] = right.cacheControl(of: name)
        let (pieces, tag) = try await content(of: name, location, blob)
        headers[.eTag] = tag
        if request.headers.ifNoneMatch(tag) { return Response(status: .notModified, headers: headers) }
        let byteCount = pieces.byteCount
        switch range(request, tag, byteCount) {
        case .whole:
            return Response(status: .ok, headers: headers, body: ResponseBody(blob, pieces.pieces))
        case .part(let range):
            headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(byteCount)"
            return Response(
                status: .partialContent, headers: headers, body: ResponseBody(blob, pieces.part(range)))
        case .unsatisfiable:
            let error = Failure(
                .rangeNotSatisfiable, "the range is outside the file",
                hint: "Request a range within the file's \(byteCount) bytes.")
            return Problem(error).response(trace: context.trace, headers: [.contentRange: "bytes */\(byteCount)"])
        }
    }

    /// Returns the size and the media type of a file of a post, and the token of its signed address, if the requester
    /// may fetch it.
    func description(
        of name: BlobName, to request: Request, _ context: HTTPContext
    ) async throws -> (byteCount: Int, contentType: String, token: String) {
        let blob = try await open(name)
        let type = headers(of: name)[.contentType] ?? ""
        _ = try await judge(name, .remove, blob.byteCount, type, request, context)
        let (pieces, _) = try await content(of: name, .remove, blob)
        let token = access.signer.token(for: name.mediaPath, lifetimeSeconds: MediaAccess.lifetimeSeconds)
        return (pieces.byteCount, type, token)
    }

    /// Returns the name of the requested blob.
    private func name(_ context: HTTPContext) throws(Failure) -> BlobName {
        let parameters = context.parameters
        guard let uid = parameters.get("uid"), let post = parameters.get("post"), let file = parameters.get("file"),
            let name = try? BlobName(userID: uid, postID: post, fileName: file),
            // Files other than photos belong to objects, and are served only by the objects' names.
            file != ObjectStore.plainFileName
        else { throw Self.notFound }
        return name
    }

    /// The right by which a request may fetch a file.
    private enum Right {
        case everybody, sender, signature

        /// Returns the permitted caching of a response.
        func cacheControl(of name: BlobName) -> String {
            switch self {
            case _ where name.isOriginal: "private, no-store"
            case .everybody: "public, max-age=31536000, immutable"
            case .sender, .signature: "private, max-age=\(MediaAccess.lifetimeSeconds)"
            }
        }
    }

    private static let locationDetails =
        "of an original: `keep` for the file as it is stored, with its location; for its owner and admins"

    /// Returns the treatment of the location in a file; renditions never have one, but malformed values are refused for
    /// them, too.
    private func location(of name: BlobName, _ request: Request) throws(Failure) -> MediaLocation {
        let location = try MediaLocation(request.uri.queryParameters["location"])
        return name.isOriginal ? location : .remove
    }

    /// Checks that a request may fetch a file. To others the file does not exist.
    private func judge(
        _ name: BlobName, _ location: MediaLocation, _ byteCount: Int, _ contentType: String, _ request: Request,
        _ context: HTTPContext
    ) async throws -> Right {
        let (restriction, reach) = try await tree.snapshot { snapshot in
            (
                try restrictions.restriction(of: name, isOriginal: name.isOriginal, in: snapshot),
                try AudienceMedia.reach(of: name, by: context.identity, in: snapshot)
            )
        }
        let mayRead = { identity in
            (restriction == .none || access.isOwn(name, identity))
                && access.mayRead(name, byteCount: byteCount, contentType: contentType, by: identity)
        }
        // A signed address is valid only for photos that everybody with it may see.
        let token = restriction == .always ? nil : request.uri.queryParameters["token"].map(String.init)
        if location == .keep {
            if access.isSigned(name, location, token: token) { return .signature }
            guard reach != .others, mayRead(context.identity) else { throw Self.notFound }
            guard access.isOwn(name, context.identity) else { throw Self.keepsLocation }
            return .sender
        }
        if reach == .everybody, mayRead(.anonymous) { return .everybody }
        if reach != .others, context.identity != .anonymous, mayRead(context.identity) { return .sender }
        // Members of an audience get its renditions from every route that shows them posts, whatever the storage rules
        // allow to everybody.
        if reach == .members, !name.isOriginal, restriction == .none { return .sender }
        guard access.isSigned(name, location, token: token) else { throw Self.notFound }
        return .signature
    }

    /// The refusal of an original with its location to a requester who may have it without.
    static let keepsLocation = Failure.notAllowed("fetch another user's original with its location")

    /// Returns the bytes of a file, and their entity tag.
    private func content(
        of name: BlobName, _ location: MediaLocation, _ blob: BlobReader
    ) async throws -> (pieces: ScrubbedPieces, tag: String) {
        guard name.isOriginal, location == .remove else {
            return (ScrubbedPieces(storedByteCount: blob.byteCount), "\"\(name.fileName)-\(blob.byteCount)\"")
        }
        let scrubbed = try await scrubber.scrub(name, try await blob.wholeFile())
        return (scrubbed.pieces, "\"\(name.fileName)-\(blob.byteCount)\(scrubbed.tag)\"")
    }

    private func open(_ name: BlobName) async throws -> BlobReader {
        do {
            return try await blobs.reader(of: name)
        } catch {
            guard [.notFound, .wrongKind].contains(error.code) else { throw error }
            throw Self.notFound
        }
    }

    private static let notFound = Failure(
        .notFound, "the file does not exist", hint: "Use the addresses in the post.")

    private func headers(of name: BlobName) -> HTTPFields {
        let format = name.fileName.split(separator: ".").last.flatMap { ImageFormat(fileExtension: $0) }
        var headers: HTTPFields = [
            .contentType: format?.contentType ?? "application/octet-stream",
            .acceptRanges: "bytes",
            .contentSecurityPolicy: "default-src 'none'; sandbox",
        ]
        if name.isOriginal { headers[.contentDisposition] = "attachment; filename=\"\(name.fileName)\"" }
        return headers
    }

    /// Returns the range, unless the client has another version of the file (RFC 9110 §13.1.5).
    private func range(_ request: Request, _ tag: String, _ byteCount: Int) -> RequestedRange {
        guard request.method == .get else { return .whole }  // RFC 9110 §14.2 defines ranges for GET alone.
        if let condition = request.headers[.ifRange], condition != tag { return .whole }
        return RequestedRange(header: request.headers[.range], byteCount: byteCount)
    }
}

extension HTTPFields {
    /// Whether `If-None-Match` names the tag; weak comparison (RFC 9110 §13.1.2).
    package func ifNoneMatch(_ tag: String) -> Bool {
        self[values: .ifNoneMatch].contains { field in
            field.split(separator: ",").contains { candidate in
                let text = candidate.filter { $0 != " " && $0 != "\t" }
                return text == "*" || text == tag || text == "W/\(tag)"
            }
        }
    }
}
