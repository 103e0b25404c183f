import Files
import Keeping
import Model
import Service
import Store
import Testing
import Tree
import Uploads

/// Conditions that a Storage folder must meet at rest, whatever happened to it before.
struct Invariants {
    private(set) var posts: [String] = []
    private(set) var unfinished: [String: String] = [:]
    private(set) var published: Set<String> = []
    private(set) var failed: Set<String> = []

    /// Opens the folder, checks everything and records an issue for each incomplete item.
    init(of path: String) async throws {
        let storage = try await StorageFolder.open(path: path)
        let tree = try await storage.tree.get(.root)
        let records = try await storage.tree.get(TreePath([], in: .pipeline))
        await storage.close()
        for (key, post) in tree?["posts"]?.object ?? [:] {
            posts.append(key.description)
            try await Self.check(post, key, in: tree, storage.blobs)
        }
        for branch in ["people", "feed"] as [TreeKey] {
            for (uid, person) in tree?[branch]?.object ?? [:] {
                for (id, _) in (branch == "feed" ? person : person["posts"])?.object ?? [:] {
                    #expect(tree?["posts"]?[id] != nil, "\(branch)/\(uid) refers to \(id), which is not a post")
                }
            }
        }
        for (key, state) in records?["upload_queue"]?.object ?? [:] {
            unfinished[key.description] = state.stringValue?.split(separator: " ").first.map(String.init)
        }
        for (key, upload) in records?["uploads"]?.object ?? [:] {
            if upload["purpose"] == "avatar" {
                try await Self.checkAvatar(upload, key, in: tree, records, storage.blobs)
                continue
            }
            if upload["state"] == "published" { published.insert(key.description) }
            if upload["state"] == "failed" { failed.insert(key.description) }
        }
        #expect(Set(posts) == published, "a published upload is a post, and the reverse")
    }

    /// Checks that a picture is a person's, with its files; or that it was one, and its files are deleted.
    private static func checkAvatar(
        _ upload: TreeValue, _ id: TreeKey, in tree: TreeValue?, _ records: TreeValue?, _ blobs: any BlobStore
    ) async throws {
        guard upload["state"] == "published", let uid = upload["owner"]?.stringValue else { return }
        let picture = tree?["people"]?[try TreeKey(uid)]?["profile_picture"]?.stringValue ?? ""
        guard picture.hasPrefix("/media/\(uid)/\(id)/") else {
            #expect(records?["deleted"]?[id] != nil, "the picture \(id) has no owner, and is never deleted")
            return
        }
        let file = picture.split(separator: "/").last.map(String.init) ?? ""
        let name = try BlobName(userID: uid, postID: id.description, fileName: file)
        #expect(try await blobs.open(name).byteCount() > 0, "\(name)")
    }

    private static func check(
        _ post: TreeValue, _ id: TreeKey, in tree: TreeValue?, _ blobs: any BlobStore
    ) async throws {
        let uid = try TreeKey(try #require(post["author"]?["uid"]?.stringValue, "post \(id) has no author"))
        #expect(tree?["people"]?[uid]?["posts"]?[id] == true, "people/\(uid)/posts lacks \(id)")
        #expect(tree?["feed"]?[uid]?[id] == true, "feed/\(uid) lacks \(id)")
        for photo in try #require(PostPhotos.read(post), "the photos of post \(id) cannot be read") {
            #expect(!photo.renditions.isEmpty)
            for rendition in photo.renditions.values {
                let name = try BlobName(
                    userID: uid.description, postID: id.description, fileName: rendition.fileName)
                #expect(try await blobs.open(name).byteCount() == rendition.byteCount, "\(name)")
            }
        }
        let names = try await blobs.fileNames(userID: uid.description, postID: id.description)
        #expect(names.contains { $0.hasPrefix("original") })
    }
}
