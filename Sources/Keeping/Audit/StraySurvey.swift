import API
import Model
import Store
import Tree
import Uploads

/// Searches the blob store for folders that nothing in the tree refers to, and for files that are not blobs.
struct StraySurvey: StoreCheckSurvey {
    private let storage: StorageFolder
    /// The remaining walk over all names; nil at its end.
    private var walk: BlobWalk? = BlobWalk(.names)
    /// The last folder that was checked; the files of one folder may be on two pages.
    private var last = ""

    init(in storage: StorageFolder) { self.storage = storage }

    mutating func next() async throws -> StoreCheckPage? {
        guard let walk else { return nil }
        let met = try await storage.blobs.page(of: walk, limit: Self.pageSize * 4)
        self.walk = met.next
        var strays: Set<String> = []
        for path in met.strays {
            let parts = path.split(separator: "/")
            switch (parts.count, parts.count > 1 ? PostID(String(parts[1])) : nil) {
            case (2, _?): break  // A post's folder without files.
            case (3..., nil): strays.insert("\(parts[0])/\(parts[1])")  // The whole folder is a stray.
            default: strays.insert(path)
            }
        }
        var posts: [(owner: String, id: PostID)] = []
        for entry in met.entries where "\(entry.userID)/\(entry.postID)" != last {
            last = "\(entry.userID)/\(entry.postID)"
            if let id = PostID(entry.postID) { posts.append((entry.userID, id)) } else { strays.insert(last) }
        }
        let page = posts
        let unclaimed = try await storage.tree.snapshot(size: .large) { snapshot in
            try page.filter { try UnclaimedFiles.isUnclaimed($0.id, of: $0.owner, in: snapshot) }
        }
        var found = StoreCheckPage(findings: strays.sorted().map(Self.finding(ofStray:)))
        for (owner, id) in unclaimed { try await note(id, of: owner, &found) }
        return found
    }

    private static func finding(ofStray path: String) -> Finding {
        let message =
            path.split(separator: "/").count > 2
            ? "the name is not that of a file of the service"
            : "the path is not that of a file of the service, which is USER/POST/FILE"
        return Finding(.fileMisplaced, path: "blobs/\(path)", message: message)
    }

    private func note(_ id: PostID, of owner: String, _ page: inout StoreCheckPage) async throws {
        let (isUnclaimed, isCounted) = try await storage.tree.snapshot { snapshot in
            let record = try snapshot.upload(id)
            // The files of a published upload are not garbage: its post is missing.
            let isUnclaimed = try record?.state != .published && UnclaimedFiles.isUnclaimed(id, of: owner, in: snapshot)
            return (isUnclaimed, record != nil)
        }
        // The record of a deletion is removed after the files are deleted, so files that still exist are unclaimed.
        let files = isUnclaimed ? try await storage.blobs.files(userID: owner, postID: id.string) : []
        guard !files.isEmpty else { return }
        if !isCounted { page.count(files) }
        page.findings.append(
            Finding(
                .unclaimedFiles, path: "blobs/\(owner)/\(id)", post: id,
                message: "\(files.count) files of a post that the tree does not know",
                bytes: files.reduce(0) { $0 + $1.byteCount }, mend: .removeFolder(owner: owner, id)))
    }
}
