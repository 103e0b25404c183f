import Pipeline
import Posts
import Tree

/// A text that is given to a post of photos after its publication.
struct LateText {
    private let text: String

    /// Checks the text.
    ///
    /// - Throws: `PipelineError` `bad_text`.
    init(_ text: String) throws(PipelineError) {
        guard let text = PostText.checked(text) else {
            throw PipelineError(
                .badText, "the text has more than \(PostText.maxCharacters) characters, or control characters",
                hint: "shorten it")
        }
        self.text = text
    }

    /// Gives it to the post, with its hashtags, if that is the user's and has none.
    ///
    /// - Returns: Whether it was done, or the post has this very text.
    /// - Throws: A fault of the tree.
    func add(to id: PostID, of owner: UserID, in tree: TreeStore) async throws -> Bool {
        let path = Paths.post(id)
        guard let post = try await tree.get(path), post["author"]?["uid"]?.stringValue == owner.description else {
            return false
        }
        if post["text"]?.stringValue == text { return true }
        guard post["text"] == nil, !text.isEmpty else { return false }
        var update = MultiPathUpdate(preconditions: [
            .equals(path / "author" / "uid", .string(owner.description)), .absent(path / "text"),
        ])
        update[path / "text"] = .string(text)
        update[path / "kind"] = "photo_text"
        for tag in Hashtags.tags(in: text) { update[Paths.hashtag(tag) / id.key] = true }
        do {
            try await tree.update(update)
            return true
        } catch {
            guard error.code == .preconditionFailed else { throw error }
            return false  // Somebody else was faster.
        }
    }
}
