import Access
import Files
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Requests
import Store
import Uploads

/// The bytes of an object as an answer: whole, a part of them, or the word that the client has them.
struct ObjectDownload {
    let blobs: any BlobStore
    let object: StoredObject

    /// Makes the answer. The file is read as fast as the client takes it.
    ///
    /// - Throws: `StorageError` 404 where the object went meanwhile, 416 for a range that lies outside of it.
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

    /// What the client said of the object, and what keeps a page that somebody stores here from acting as one of the service's
    /// own: it is shown without scripts, and nothing is guessed.
    private func headers(_ tag: String) -> HTTPFields {
        var headers: HTTPFields = [
            .contentType: object.metadata.servedType, .contentDisposition: object.disposition,
            .cacheControl: object.metadata[.cacheControl] ?? "private, max-age=0, must-revalidate",
            .eTag: tag, .acceptRanges: "bytes", .contentSecurityPolicy: "default-src 'none'; sandbox",
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
}
