import Access
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Requests
import TreeModel
import Uploads

/// The description of an object for clients: numbers as texts, and times with exactly three decimals, as the iOS SDK
/// reads them.
struct ObjectDocument {
    let object: StoredObject
    /// The bucket's name in the client's request.
    let bucket: String

    var json: JSONValue {
        var members: [String: JSONValue] = [
            "name": .string(object.name.description), "bucket": .string(bucket), "storageClass": "STANDARD",
            "generation": "\(object.objectGeneration)", "metageneration": "\(object.metageneration)",
            "contentType": .string(object.metadata.contentType), "contentEncoding": "identity",
            "contentDisposition": .string(object.disposition),
            "timeCreated": .string(Self.time(object.createdAt)), "updated": .string(Self.time(object.updatedAt)),
            "size": "\(object.byteCount)", "etag": .string(object.tag),
            "md5Hash": .string(Data(object.md5).base64EncodedString()),
            "crc32c": .string(Data(object.crc32c).base64EncodedString()),
            "downloadTokens": .string(object.tokens.joined(separator: ",")),
        ]
        for field in ObjectMetadata.Field.allCases {
            if let text = object.metadata[field] { members[field.rawValue] = .string(text) }
        }
        if !object.metadata.custom.isEmpty {
            members["metadata"] = .object(object.metadata.custom.mapValues(JSONValue.string))
        }
        return .object(members)
    }

    func response(headers: HTTPFields = [:]) -> Response { .storage(json, headers: headers) }

    /// Returns a time in the format of RFC 3339, in UTC.
    static func time(_ moment: Timestamp) -> String {
        let (seconds, rest) = moment.milliseconds.quotientAndRemainder(dividingBy: 1000)
        let date = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
        let digits = String(1000 + rest).dropFirst()
        return "\(date.dropLast()).\(digits)Z"
    }
}

extension StoredObject {
    /// The `Content-Disposition`: the client's own, otherwise `inline` with the last part of the name (RFC 6266, RFC
    /// 8187), unless that becomes too long for a client to send it back.
    var disposition: String {
        if let text = metadata[.contentDisposition] { return text }
        let last = name.description.utf8.split(separator: UInt8(ascii: "/")).last.map { Array($0) } ?? []
        let text = "inline; filename*=utf-8''\(PercentEncoding.encode(last))"
        return text.utf8.count <= ObjectMetadata.maxFieldBytes ? text : "inline"
    }
}

extension Response {
    /// Returns a JSON response of the bucket.
    static func storage(_ json: JSONValue, headers: HTTPFields = [:]) -> Response {
        var headers = headers
        headers[.contentType] = "application/json; charset=utf-8"
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: json.text)))
    }
}
