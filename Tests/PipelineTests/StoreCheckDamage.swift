import API
import Foundation
import Model
import Social
import Store
import TestSupport
import Testing
import Tree

@testable import Uploads

/// A kind of damage, and the finding of an audit.
struct StoreCheckDamage: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let kind: FindingKind
    let inject: @Sendable (StoreCheckStore) async throws -> Void

    init(_ kind: FindingKind, _ what: String, _ inject: @escaping @Sendable (StoreCheckStore) async throws -> Void) {
        (self.kind, testDescription, self.inject) = (kind, what, inject)
    }

    private static let lost = "-OaZzZzZzZzZzZzZzZzZ"

    static let files: [StoreCheckDamage] = [
        .init(.originalMissing, "an original is missing") { try $0.delete($0.path($0.post, "original.jpg")) },
        .init(.originalWrongSize, "an original is truncated") { try $0.truncate($0.path($0.post, "original.jpg")) },
        .init(.originalDamaged, "a bit of an original is flipped") { try $0.flip($0.path($0.post, "original.jpg")) },
        .init(.renditionMissing, "a rendition is missing") {
            try $0.delete(try await $0.rendition("thumb-", of: $0.post))
        },
        .init(.renditionMissing, "a second photo's rendition is missing") {
            try $0.delete(try await $0.rendition("thumb-2-", of: $0.other))
        },
        .init(.renditionMissing, "a person's picture is missing") {
            try $0.delete(try await $0.rendition("avatar-", of: $0.avatar))
        },
        .init(.renditionWrongSize, "a rendition is truncated") {
            try $0.truncate(try await $0.rendition("thumb-", of: $0.post))
        },
        .init(.renditionDamaged, "a bit of a rendition is flipped") {
            try $0.flip(try await $0.rendition("full-", of: $0.post))
        },
        .init(.renditionForeign, "a post shows a file of another one") { store in
            let name = try await store.rendition("thumb-", of: store.other).split(separator: "/").last ?? ""
            let thumb = PostNodes.post(store.post) / "photos" / "0" / "renditions" / "thumb"
            try await store.write([
                thumb / "storage_uri": .string("blobs/maria/\(store.other)/\(name)"),
                thumb / "url": .string("/media/maria/\(store.other)/\(name)"),
            ])
        },
        .init(.objectMissing, "an object's bytes are missing") { try $0.delete($0.objectPath) },
        .init(.objectWrongSize, "an object's bytes are truncated") { try $0.truncate($0.objectPath) },
        .init(.objectDamaged, "a bit of an object is flipped") { try $0.flip($0.objectPath) },
        .init(.orphanedFile, "a file that nothing names is beside a post's") {
            try $0.running.scratch.write([1, 2, 3], to: "Storage/blobs/maria/\($0.post)/thumb-stray.jpg")
        },
        .init(.unclaimedFiles, "there are files of an unknown post") {
            try $0.running.scratch.write([1, 2, 3], to: "Storage/blobs/maria/\(lost)/original.jpg")
        },
    ]

    static let records: [StoreCheckDamage] = [
        .init(.postUnreadable, "the photos of a post are malformed") {
            try await $0.write([PostNodes.post($0.post) / "photos" / "0" / "width": "wide"])
        },
        .init(.uploadMissing, "the record behind a post is missing") {
            try await $0.write([UploadNodes.upload($0.post): nil])
        },
        .init(.uploadUnreadable, "the record behind a post is malformed") {
            try await $0.write([UploadNodes.upload($0.post) / "owner": 5])
        },
        .init(.postMissing, "a post is missing that was not deleted") {
            try await $0.write([PostNodes.post($0.post): nil])
        },
        .init(.photosDiffer, "a post has lost a photo") {
            try await $0.write([PostNodes.post($0.other) / "photos" / "1": nil])
        },
        .init(.postTwice, "a post is stored at two paths") { store in
            let post = try await store.tree.get(PostNodes.post(store.post))
            try await store.write([AudienceNodes.post(store.post): post])
        },
        .init(.authorMissing, "the author of posts is missing") { try await $0.write(["people/jan": nil]) },
        .init(.objectUnreadable, "an object's record is malformed") {
            try await $0.write([ObjectKey.path($0.object.name): "{}"])
        },
        .init(.objectUnlisted, "the owner of an object's bytes is not recorded") {
            try await $0.write([ObjectNodes.file(TreeKey(unchecked: $0.object.blob.postID)): nil])
        },
        .init(.uploadNotQueued, "an acknowledged upload is not in the queue") { store in
            var record = try await store.record(store.post)
            record.state = .ingested
            try await store.write([UploadNodes.upload(store.post): try record.value(), PostNodes.post(store.post): nil])
        },
        .init(.likesWithoutPost, "there are likes without a post") {
            try await $0.write(["likes" / (try TreeKey(lost)) / "jan": 1])
        },
        .init(.commentsWithoutPost, "there are comments without a post") {
            try await $0.write(["comments" / (try TreeKey(lost)) / "-x" / "text": "?"])
        },
    ]

    static let derived: [StoreCheckDamage] = [
        .init(.entryDangling, "the queue names a missing upload") {
            try await $0.write([UploadNodes.queued() / (try TreeKey(lost)): "ingested socket maria"])
        },
        .init(.entryDangling, "a client's reference names a missing upload") {
            try await $0.write([UploadNodes.reference($0.maria, "r" as TreeKey): .string(lost)])
        },
        .init(.entryDangling, "the index lists bytes under a missing post") {
            try await $0.write([FileNodes.content($0.maria, "abc" as TreeKey): .string(lost)])
        },
        .init(.entryDangling, "a missing upload is listed as ended") {
            try await $0.write([UploadNodes.ended() / (try TreeKey(lost)): 5])
        },
        .init(.entryDangling, "a missing run is recorded for renditions of a post") {
            try await $0.write([WorkNodes.prepared($0.post) / (try TreeKey(lost)): true])
        },
        .init(.entryDangling, "an attempt at renditions whose files are not garbage") {
            let attempt = UploadNodes.attempt($0.post) / "0123456789"
            try await $0.write([attempt / "garbage": .string(lost), attempt / "engine": "1"])
        },
        .init(.entryDangling, "a generation of a missing run") {
            try await $0.write([WorkNodes.rethumbRun() / (try TreeKey(lost)) / $0.post.key / "before": "x"])
        },
        .init(.entryDangling, "the order of publication has a missing post") {
            let position = PostPosition(sequence: 1_000_000)
            try await $0.write([PostNodes.published() / position.key: .string("\(lost)/maria")])
        },
        .init(.entryDangling, "an author's list has a missing post") {
            try await $0.write(["people/maria/posts" / (try TreeKey(lost)): true])
        },
        .init(.entryDangling, "a hashtag has a post whose text does not contain it") {
            try await $0.write(["hashtags/winter" / $0.post.key: true])
        },
        .init(.entryDangling, "a feed has a missing post") {
            try await $0.write(["feed/jan" / (try TreeKey(lost)): true])
        },
        .init(.entryDangling, "a person is listed for another person's comment") {
            try await $0.write([ReactionNodes.commented($0.maria) / $0.post.key / "-OaBbBbBbBbBbBbBbBbB": true])
        },
        .init(.entryDangling, "the times of a missing post") {
            try await $0.write([TimeNodes.post() / (try TreeKey(lost)): "1000 2000"])
        },
        .init(.entryDangling, "the times of a post are no times") {
            try await $0.write([TimeNodes.post($0.post): "yesterday"])
        },
        .init(.postUnlisted, "a post is missing in the order of publication") {
            try await $0.write([PostNodes.position($0.post.key): nil])
        },
        .init(.indexWrong, "a hashtag lacks a post") { try await $0.write(["hashtags/summer" / $0.post.key: nil]) },
        .init(.indexWrong, "a person is not found by name") { try await $0.write(["people/maria/_search_index": nil]) },
        .init(.indexWrong, "an author's list lacks a post") {
            try await $0.write(["people/maria/posts" / $0.post.key: nil])
        },
        .init(.linkHalf, "half a follow") { try await $0.write(["followers/maria/jan": nil]) },
        .init(.linkHalf, "half a block") { try await $0.write(["blocked/eve/maria": nil]) },
        .init(.linkHalf, "a like is missing at the person who likes") {
            try await $0.write([ReactionNodes.liked($0.jan): nil])
        },
        .init(.counterWrong, "a wrong number of likes") {
            try await $0.write([ReactionNodes.stats($0.post) / "likes": 7])
        },
        .init(.counterWrong, "a wrong number of followers") {
            try await $0.write([PeopleNodes.stats($0.maria) / "followers": nil])
        },
        .init(.counterWrong, "a wrong number of notifications") {
            try await $0.write([TreePath(["notification_counts", "maria"], in: .social): 99])
        },
        .init(.counterWrong, "the size of a post's files is not counted") {
            try await $0.write([UsageNodes.ofFile() / "maria" / $0.post.key: nil])
        },
        .init(.counterWrong, "a wrong sum of the sizes of a person's files") {
            try await $0.write([UsageNodes.ofOwner() / "maria": "1 2 3 4 5 6 7 8 9 10 11 12"])
        },
        .init(.counterWrong, "no sum of the sizes of all files") {
            try await $0.write([UsageNodes.ofAll(): nil])
        },
        .init(.counterWrong, "a wrong number of unread notifications") { try await $0.write(["unread/maria": 99]) },
        .init(.counterWrong, "a wrong number of posts of a day") {
            try await $0.write([TreePath(["post_days", $0.day], in: .social): 9])
        },
        .init(.counterWrong, "a number of posts of a day without posts") {
            try await $0.write([TreePath(["audience_post_days_by", "maria", "12"], in: .social): 1])
        },
        .init(.counterWrong, "a person's posts of a day are not counted") {
            try await $0.write([TreePath(["post_days_by", "maria", $0.day], in: .social): nil])
        },
    ]

    static let all = files + records + derived + single
}
