import Model
package import Tree

/// Takes back a comment or a like that somebody writes at the id of an upload where no post is: it would stay with what was
/// deleted, or stand under a draft from its publication on.
///
/// It belongs into the first stratum, before all that looks at comments and likes.
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
