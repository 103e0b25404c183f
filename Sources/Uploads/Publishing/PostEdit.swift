import API
import Model
package import Social
import Tree
package import TreeModel

/// A change of a published post, as it is requested. What it does not name stays.
package struct PostEdit: Sendable {
    /// A photo in its new place.
    package struct Photo: Sendable, Hashable {
        /// The number of the photo (``PhotoRecord/number``), or else its index.
        let number: Int
        /// The new alternative text; empty for none, nil to keep the present one.
        let alt: String?

        package init(number: Int, alt: String?) { (self.number, self.alt) = (number, alt) }
    }

    /// The new text; empty for none, nil to keep the present one.
    package var text: String?
    /// The mentions in the text; nil to keep those that still fit.
    package var mentions: [MentionSpan.Claim]?
    /// All photos of the post in their new order; nil to keep them.
    package var photos: [Photo]?
    /// The time of the edit by the clock of the author's device; nil if it is not known.
    package var clientTime: Timestamp?

    package init() {}

    /// The condition of an edit: that a value has one of these ETags, when the edit is written.
    package struct Condition: Sendable {
        private let path: TreePath
        private let etags: Set<String>

        package init(_ path: TreePath, hasOneOf etags: Set<String>) { (self.path, self.etags) = (path, etags) }

        /// - Throws: `Failure` `precondition_failed`.
        func check(in snapshot: TreeSnapshot) throws {
            guard etags.contains(try snapshot.etag(of: path)) else {
                throw Failure(
                    .preconditionFailed, "the post has been changed since",
                    hint: "Get it again, and send the edit with its new ETag, or without If-Match.")
            }
        }
    }
}

/// A post as an edit leaves it, and the writes that lead there.
struct EditedPost {
    /// The words of a post, as a moderator sees them.
    struct Words: Sendable, Equatable {
        var text: [UInt8]
        /// The alternative texts of the photos, in their order; empty for none.
        var alts: [[UInt8]]
    }

    /// The record before the edit.
    private let post: TreeValue
    private let path: TreePath
    /// The text after the edit.
    private(set) var text: String
    /// The photos after the edit, in their order; empty if they cannot be read.
    private(set) var photos: [PhotoRecord]
    /// The index before the edit of each photo; nil if the order stays.
    private(set) var order: [Int]?
    /// The new mentions, of which not all need exist.
    private(set) var newMentions: [MentionSpan] = []
    /// Whether the post has words afterwards that it did not have.
    private(set) var addsWords = false
    /// Whether the text or the mentions change.
    private(set) var changesText = false
    private(set) var writes: [TreeWrite] = []

    /// Applies an edit.
    ///
    /// - Throws: `Failure`: `bad_text`, `bad_mention`, `empty_post` for a post without photos that would lose its text,
    ///   `bad_request` for photos that are not those of the post.
    init(_ edit: PostEdit, of post: TreeValue, at path: TreePath) throws(Failure) {
        (self.post, self.path) = (post, path)
        text = post["text"]?.stringValue ?? ""
        photos = PostPhotos.read(post) ?? []
        try changeText(edit)
        if let wanted = edit.photos { try arrange(wanted) }
    }

    var words: Words { Words(text: Array(text.utf8), alts: photos.map { Array($0.alt.utf8) }) }

    private mutating func set(_ path: TreePath, to value: TreeValue?) {
        writes.append(TreeWrite(path: path, value: value))
    }

    // MARK: The text

    private mutating func changeText(_ edit: PostEdit) throws(Failure) {
        let old = text
        if let text = edit.text { self.text = try PostText.requireText(text) }
        // Strings with other bytes may be equal, and mentions have other positions in them.
        let isChanged = !text.utf8.elementsEqual(old.utf8)
        if isChanged {
            changesText = true
            addsWords = !text.isEmpty
            let hasPhoto = post["photos"] != nil || post["full_url"] != nil
            guard hasPhoto || !text.isEmpty else {
                throw Failure(
                    .emptyPost, "a post without photos needs its text", hint: "Write another text, or delete the post.")
            }
            set(path / PostField.text.key, to: text.isEmpty ? nil : .string(text))
            changeKind(hasPhoto ? text.isEmpty ? "photo" : "photo_text" : "text")
        }
        let mentions: TreeValue?
        if let claims = edit.mentions {
            // The stored text may begin with white space, if a client of the database wrote it.
            newMentions = try MentionSpan.checked(claims, of: edit.text ?? "", storedAs: text)
            mentions = MentionSpan.value(of: newMentions)
        } else {
            let kept = isChanged ? MentionSpan.carried(post["mentions"], of: old, to: text) : []
            mentions = isChanged ? MentionSpan.value(of: kept) : post["mentions"]
        }
        guard mentions != post["mentions"] else { return }
        changesText = true
        set(path / PostField.mentions.key, to: mentions)
    }

    /// Changes the kind of content, unless it is one that only others know.
    private mutating func changeKind(_ kind: String) {
        guard let old = post["kind"]?.stringValue, ["text", "photo", "photo_text"].contains(old), old != kind else {
            return
        }
        set(path / PostField.kind.key, to: .string(kind))
    }

    // MARK: The photos

    private mutating func arrange(_ wanted: [PostEdit.Photo]) throws(Failure) {
        guard let old = PostPhotos.read(post) else {
            throw Failure(
                .badRequest, "the photos of the post cannot be read",
                hint: "Correct them in the database, where a client wrote them, or leave photos out.")
        }
        let numbers = old.numbers
        let indexes = Dictionary(zip(numbers, numbers.indices)) { first, _ in first }
        let order = wanted.compactMap { indexes[$0.number] }
        guard wanted.count == numbers.count, order.count == numbers.count, Set(order).count == numbers.count else {
            throw Failure(
                .badRequest, "photos does not name each photo of the post once",
                hint: "Name all \(numbers.count) photos by their numbers, in the new order, and no others.")
        }
        var photos: [PhotoRecord] = []
        var changed: [Int] = []
        for (index, (one, oldIndex)) in zip(wanted, order).enumerated() {
            var photo = old[oldIndex]
            if let alt = one.alt { photo.alt = try PostText.requireAlt(alt) }
            photo.number = one.number == index ? nil : one.number
            if !photo.alt.utf8.elementsEqual(old[oldIndex].alt.utf8) {
                changed.append(index)
                addsWords = addsWords || !photo.alt.isEmpty
            }
            photos.append(photo)
        }
        self.photos = photos
        guard order == Array(numbers.indices) else {
            self.order = order
            return writeOrder(order)
        }
        for index in changed {
            set(path / PostField.photos.key / TreeKey(unchecked: "\(index)") / "alt", to: Self.alt(photos[index]))
        }
    }

    private static func alt(_ photo: PhotoRecord) -> TreeValue? { photo.alt.isEmpty ? nil : .string(photo.alt) }

    /// Writes the photos in their new order, with all fields that their records have, and the fields about the first.
    private mutating func writeOrder(_ order: [Int]) {
        let old = (post["photos"]?.object ?? [:]).sorted { $0.key < $1.key }.map(\.value)
        var records: [TreeKey: TreeValue] = [:]
        for (index, (photo, oldIndex)) in zip(photos, order).enumerated() {
            var fields = old[oldIndex].object ?? [:]
            fields["alt"] = Self.alt(photo)
            fields["number"] = photo.number.map { .integer(Int64($0)) }
            records[TreeKey(unchecked: "\(index)")] = .object(fields)
        }
        set(path / PostField.photos.key, to: .object(records))
        guard order.first != 0, let first = photos.first, let record = records["0"] else { return }
        let fields = PostPhotos.firstFields(first, record)
        for field in [PostField.fullURL, .fullStorageURI, .thumbURL, .thumbStorageURI] {
            set(path / field.key, to: fields[field.key])
        }
    }
}
