import HTTPTypes
import Hummingbird
import Model
import Store
import TreeModel
import Uploads

/// A file of a post as an object of the bucket: `USER/original/POST/FILE` or `USER/rendition/POST/FILE`, as in the
/// storage rules. It can be fetched and described, and changes only with the post.
struct PostFile: Sendable {
    let blob: BlobName
    private let name: ObjectName

    /// Parses the name of an object; nil for other objects.
    init?(_ name: ObjectName) {
        let parts = name.description.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4, ["original", "rendition"].contains(parts[1]), UserID(parts[0]) != nil,
            PostID(parts[2]) != nil, parts[3] != ObjectStore.plainFileName,
            let blob = try? BlobName(userID: parts[0], postID: parts[2], fileName: parts[3]),
            blob.isOriginal == (parts[1] == "original")
        else { return nil }
        self.blob = blob
        self.name = name
    }

    /// Returns the file's bytes or metadata, if the requester may fetch the file at its media address.
    func response(to asked: StorageRequest, from media: MediaRoutes) async throws -> Response {
        if asked.query["alt"] == "media" { return try await media.response(of: blob, to: asked.request, asked.context) }
        let (byteCount, contentType, token) = try await media.description(of: blob, to: asked.request, asked.context)
        let time = ObjectDocument.time(PostID(blob.postID)?.timestamp ?? .epoch)
        return .storage([
            "name": .string(name.description), "bucket": .string(asked.bucket), "generation": "1",
            "metageneration": "1", "storageClass": "STANDARD", "contentType": .string(contentType),
            "size": "\(byteCount)", "timeCreated": .string(time), "updated": .string(time),
            "etag": .string(blob.fileName), "downloadTokens": .string(token),
        ])
    }
}
