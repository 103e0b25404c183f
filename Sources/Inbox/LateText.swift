import API
import Model
import Social
import Tree
import Uploads

/// The texts that arrive after a post of photos was published: its text, and alternative texts of its photos.
struct LateText {
    private let text: String
    private let alts: [String]

    /// Creates the texts of an upload that is a duplicate of a post with its photos.
    init(of record: UploadRecord) { (text, alts) = (record.text, record.orderedPhotos.map(\.alt)) }

    /// Checks the texts.
    ///
    /// - Throws: `Failure` `bad_text`.
    init(_ sidecar: Sidecar) throws(Failure) {
        text = try PostText.requireText(sidecar.text)
        var alts: [String] = []
        for alt in sidecar.alts { alts.append(try PostText.requireAlt(alt)) }
        self.alts = alts
    }

    /// Adds all texts to the post, with its hashtags; adds none if the post does not belong to the user or has
    /// different texts.
    ///
    /// - Returns: Whether the post has these texts now.
    /// - Throws: `Failure` `not_consented`; a fault of the tree.
    func add(to id: PostID, of owner: UserID, in tree: TreeStore) async throws -> Bool {
        guard !text.isEmpty || alts.contains(where: { !$0.isEmpty }) else { return false }
        return try await tree.transact { snapshot, update in
            guard let path = try snapshot.path(ofPost: id), let post = try snapshot.get(path),
                post["author"]?["uid"]?.stringValue == owner.description,
                let additions = try additions(to: post, at: path, id)
            else { return false }
            try snapshot.requireConsent(of: owner, toContent: true)
            update = additions
            return true
        }.result
    }

    /// Returns the update that adds the missing texts; nil if the post has different ones or lacks a photo.
    private func additions(
        to post: TreeValue, at path: TreePath, _ id: PostID
    ) throws(TreeError) -> MultiPathUpdate? {
        var update = MultiPathUpdate()
        if !text.isEmpty, post["text"]?.stringValue != text {
            guard post["text"] == nil else { return nil }
            update[path / "text"] = .string(text)
            update[path / "kind"] = "photo_text"
            for tag in Hashtags.tags(in: text) where path == PostNodes.post(id) {
                update[PostNodes.tagged(tag) / id.key] = true
            }
        }
        for (number, alt) in alts.enumerated() where !alt.isEmpty {
            let key = try TreeKey(String(number))
            guard let photo = post["photos"]?[key] else { return nil }
            if photo["alt"]?.stringValue == alt { continue }
            guard photo["alt"] == nil else { return nil }
            update[path / "photos" / key / "alt"] = .string(alt)
        }
        return update
    }
}
