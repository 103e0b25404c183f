package import API
package import Model
import TreeModel
import Uploads

/// The subject of an explanation: an upload, its post, or one of its files.
package struct ExplainedSubject: Sendable, Hashable {
    package let id: PostID
    /// The owner's part of the folder and the name of the file; nil if no file was named.
    package let file: (owner: String, name: String)?

    package static func == (one: ExplainedSubject, other: ExplainedSubject) -> Bool {
        one.id == other.id && one.file?.owner == other.file?.owner && one.file?.name == other.file?.name
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(id) }

    /// Parses the id of an upload or a post, the path of a file in the Storage folder, or the file's address.
    ///
    /// - Throws: `Failure` `not_found` if the text is none of these.
    package init(_ text: String) throws(Failure) {
        if let id = PostID(text) {
            (self.id, file) = (id, nil)
            return
        }
        if let address = MediaAddress(text) {
            (id, file) = (address.id, (address.owner.description, address.fileName))
            return
        }
        let parts = text.split(separator: "/").suffix(3).map(String.init)
        if parts.count == 3, let id = PostID(parts[1]) {
            (self.id, file) = (id, (parts[0], parts[2]))
            return
        }
        throw Failure(
            .notFound, "\"\(text.prefix(200))\" is no post, no upload and no file of one".printable,
            hint: "Give an id, or a path such as blobs/maria/-OaBcDeFgHiJkLmNoPqR/original.jpg.")
    }
}
