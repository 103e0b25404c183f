import Model
package import Tree

/// Removes a new comment or like at the id of an upload that has no post: it would remain with the data of a deleted
/// post, or appear under a draft once that is published.
///
/// It belongs in the first stratum, before all derivations that read comments and likes.
package struct WordsWithoutPost: Derivation {
    package static let all: [any Derivation] = ["comments/*/*", "likes/*/*"].map {
        WordsWithoutPost(at: TreePattern($0))
    }

    package let place: TreePattern

    private init(at place: TreePattern) { self.place = place }

    package func writes(
        for node: ChangedNode, at commit: CommitPoint, in snapshot: TreeSnapshot
    ) throws(TreeError) -> [TreeWrite] {
        guard !node.before.isThere, node.after.isThere, let id = PostID(node.keys[0].string),
            try snapshot.exists(UploadNodes.upload(id) / "owner"),
            try !snapshot.hasAny(of: [PostNodes.post(id), AudienceNodes.post() / id.key])
        else { return [] }
        return [TreeWrite(path: place.path(filledWith: node.keys), value: nil)]
    }
}
