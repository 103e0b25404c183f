import Access
import Files
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Requests
import Store
import Uploads

/// The response with an object's bytes: all of them, a part, or the status that the client's copy is current.
struct ObjectDownload {
    let blobs: any BlobStore
    let object: StoredObject
    /// Whether the requester proved no identity, so that the response is for everybody who has the address.
    let isForEverybody: Bool

    /// Creates the response. The file is read as fast as the client reads it.
    ///
    /// - Throws: `StorageError` 404 if the object was deleted meanwhile, 416 for a range outside of it.
    func response(to request: Request) async throws -> Response {
        let file = try await open()
        let tag = "\"\(object.tag)\""
        if request.headers.ifNoneMatch(tag) { return Response(status: .notModified, headers: headers(tag)) }
        switch range(request, tag) {
        case .whole:
            return Response(
                status: .ok, headers: headers(tag), body: ResponseBody(file, 0..<object.byteCount))
        case .part(let range):
            var fields = headers(tag)
            fields[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(object.byteCount)"
            return Response(status: .partialContent, headers: fields, body: ResponseBody(file, range))
        case .unsatisfiable:
            throw StorageError(
                status: .rangeNotSatisfiable, message: "The requested range is not satisfiable.",
                headers: [.contentRange: "bytes */\(object.byteCount)"])
        }
    }

    private func open() async throws -> BlobReader {
        do {
            return try await blobs.reader(of: object.blob)
        } catch {
            guard error.code == .notFound else { throw error }
            throw StorageError.notFound
        }
    }

    private func range(_ request: Request, _ tag: String) -> RequestedRange {
        guard request.method == .get else { return .whole }  // RFC 9110 §14.2 defines ranges for GET alone.
        if let condition = request.headers[.ifRange], condition != tag { return .whole }
        return RequestedRange(header: request.headers[.range], byteCount: object.byteCount)
    }

    /// Returns the client's metadata as header fields, and fields that keep a stored page from acting as a page of the
    /// service: it is shown without scripts, and its type is not guessed.
    private func headers(_ tag: String) -> HTTPFields {
        var headers: HTTPFields = [
            .contentType: object.metadata.servedType, .contentDisposition: object.disposition,
            .cacheControl: cacheControl, .eTag: tag, .acceptRanges: "bytes",
            .contentSecurityPolicy: "default-src 'none'; sandbox",
            .googHash:
                "crc32c=\(Data(object.crc32c).base64EncodedString()),md5=\(Data(object.md5).base64EncodedString())",
            .googGeneration: "\(object.objectGeneration)", .googMetageneration: "\(object.metageneration)",
        ]
        if let encoding = object.metadata[.contentEncoding], encoding != "identity" {
            headers[.contentEncoding] = encoding
        }
        headers[.contentLanguage] = object.metadata[.contentLanguage]
        return headers
    }

    /// The caching that the client chose for the object. No proxy keeps a response to a user, because the rules may
    /// allow only this user to fetch the object.
    private var cacheControl: String {
        guard let chosen = object.metadata[.cacheControl] else { return "private, max-age=0, must-revalidate" }
        guard !isForEverybody else { return chosen }
        let kept = chosen.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { directive in
            let name = directive.lowercased()
            return !["", "public", "private"].contains(name) && !name.hasPrefix("s-maxage")
        }
        return (["private"] + kept).joined(separator: ", ")
    }
}
