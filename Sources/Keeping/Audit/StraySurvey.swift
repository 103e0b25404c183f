import API
import Posts
import Store
import Tree
import Uploads

/// Looks for folders of the blob store that nothing in the tree leads to, and for what lies where no blob can be.
struct StraySurvey: AuditSurvey {
    private let storage: StorageFolder
    /// The owners who are left; nil before the first look.
    private var owners: ArraySlice<String>?
    /// The folders of one of them that are left.
    private var ids: ArraySlice<PostID> = []
    private var owner = ""

    init(in storage: StorageFolder) { self.storage = storage }

    mutating func next() async throws -> AuditPage? {
        if owners == nil {
            let strays = Set(try await storage.blobs.strayNames())
            owners = try await storage.blobs.userIDs().filter { !strays.contains($0) }[...]
            if !strays.isEmpty { return Self.page(ofStrays: strays.sorted()) }
        }
        while ids.isEmpty {
            guard let next = owners?.popFirst() else { return nil }
            owner = next
            let names = try await storage.blobs.postIDs(userID: next)
            ids = names.compactMap { PostID($0) }[...]
            let strays = names.filter { PostID($0) == nil }
            if !strays.isEmpty { return Self.page(ofStrays: strays.map { "\(next)/\($0)" }) }
        }
        let (page, owner) = (Array(ids.prefix(Self.pageSize)), owner)
        ids = ids.dropFirst(Self.pageSize)
        let unclaimed = try await storage.tree.snapshot(size: .large) { snapshot in
            try page.filter { try UnclaimedFiles.isUnclaimed($0, of: owner, in: snapshot) }
        }
        var found = AuditPage(findings: try await strays(in: page).map(Self.finding(ofStrayName:)))
        for id in unclaimed { try await note(id, of: owner, &found) }
        return found
    }

    /// The places of what lies in folders of posts and can be no blob.
    private func strays(in posts: [PostID]) async throws -> [String] {
        let owner = owner
        let names = try await storage.blobs.strayNames(inPosts: posts.map { (owner, $0.string) })
        return zip(posts, names).flatMap { post, names in names.map { "\(owner)/\(post)/\($0)" } }
    }

    private static func finding(ofStrayName path: String) -> Finding {
        Finding(.fileMisplaced, path: "blobs/\(path)", message: "no file of the service has such a name")
    }

    private static func page(ofStrays paths: [String]) -> AuditPage {
        AuditPage(
            findings: paths.map { path in
                Finding(
                    .fileMisplaced, path: "blobs/\(path)",
                    message: "no file of the service has a place there: they are at USER/POST/FILE")
            })
    }

    private func note(_ id: PostID, of owner: String, _ page: inout AuditPage) async throws {
        let (isUnclaimed, isCounted) = try await storage.tree.snapshot { snapshot in
            let record = try snapshot.upload(id)
            // What was published is no garbage: its post is missing.
            let isUnclaimed = try record?.state != .published && UnclaimedFiles.isUnclaimed(id, of: owner, in: snapshot)
            return (isUnclaimed, record != nil)
        }
        // A deletion is forgotten after the files are gone: what is still there is unclaimed.
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
