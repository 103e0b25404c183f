import Blobs
package import Posts
import Tree

/// What becomes of photos whose bytes their user has posted before.
package enum DuplicatePolicy: String, Sendable, CaseIterable {
    /// No second post: the receipt names the first one.
    case link
    /// A post of its own, as if the bytes were new.
    case newPost = "new-post"
    /// A failure, put aside with the others.
    case reject
}

/// Which policy holds for whom.
package struct DuplicatePolicies: Sendable {
    /// What holds for all who are not named.
    package var general = DuplicatePolicy.link
    package var byUser: [UserID: DuplicatePolicy] = [:]

    package init() {}

    /// Reads a policy, or several things separated by spaces: a policy, and `USER=POLICY` for each user who has another.
    package init?(parsing text: String) {
        for word in text.split(separator: " ") {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let policy = parts.last.flatMap(DuplicatePolicy.init) else { return nil }
            if parts.count == 1 {
                general = policy
            } else if let user = UserID(parts[0]) {
                byUser[user] = policy
            } else {
                return nil
            }
        }
    }

    subscript(user: UserID) -> DuplicatePolicy { byUser[user] ?? general }
}

/// The bytes of a post, as what its author has posted is looked up by.
struct PostContent {
    let path: TreePath
    /// What is noted there: the post that had these bytes last.
    let noted: TreeValue?
    /// That post, if it is still there.
    let post: PostID?
}

extension UploadPipeline {
    /// The post in which a user shows the photos with these SHA-256 (64 hexadecimal digits each), in this order and no
    /// others; nil when there is none.
    package func post(of owner: UserID, showing hashes: [String]) async throws -> PostID? {
        try await content(of: owner, hashes)?.post
    }

    /// Which post of the same user has the same photos in the same order; nil for an upload without photos.
    func content(of record: UploadRecord) async throws -> PostContent? {
        try await content(of: record.owner, record.orderedPhotos.map(\.sha256))
    }

    private func content(of owner: UserID, _ hashes: [String]) async throws -> PostContent? {
        guard let first = hashes.first else { return nil }
        let key = hashes.count == 1 ? first : sha256(of: Array(hashes.joined(separator: " ").utf8))
        let path = Paths.content(owner, try TreeKey(key))
        return try await tree.snapshot { snapshot in
            let noted = try snapshot.get(path)
            let id = noted?.stringValue.flatMap { PostID($0) }
            return PostContent(
                path: path, noted: noted, post: try id.flatMap { try snapshot.exists(Paths.post($0)) ? $0 : nil })
        }
    }

    /// Ends an upload that is a duplicate: by what was asked for with it, or, when it was dropped, by its user's policy.
    ///
    /// - Returns: Whether it was one; otherwise nothing was done.
    func endDuplicate(_ record: UploadRecord, of content: PostContent?) async throws -> Bool {
        let policy = record.duplicates ?? (record.intake == .inbox ? settings.duplicates[record.owner] : .newPost)
        guard policy != .newPost, let post = content?.post else { return false }
        guard policy == .link else {
            throw PipelineError(
                .duplicate, "\(record.source ?? "the photo") is what post \(post) shows already",
                hint: "drop it, or let duplicates be posted again (duplicates)")
        }
        try await move(record.id, from: .ingested, to: .duplicate) { $0.duplicateOf = post }
        if record.intake == .socket { try await cleanUp(record.id) }
        return true
    }
}
