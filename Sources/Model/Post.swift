package import TreeModel

/// A published post, as it is stored at `posts/{id}` or at `audience_posts/{id}`.
package struct Post: Sendable {
    package let id: PostID
    package let author: Person
    /// The trimmed text; empty only if there are photos.
    package let text: String
    /// The mentions of people in the text, as they are stored at `mentions`; nil for none.
    package let mentions: TreeValue?
    /// The time by the server's clock.
    package let timestamp: Timestamp
    /// The time at which the author made the post by the clock of their device; nil if it is not known.
    package let clientTimestamp: Timestamp?
    package let photos: [PhotoRecord]
    /// The client's own reference of the upload; nil for none.
    package let clientReference: String?
    /// The audiences of the post; empty for everybody.
    package let audiences: [AudienceID]

    package init(
        id: PostID, author: Person, text: String, mentions: TreeValue? = nil, timestamp: Timestamp,
        clientTimestamp: Timestamp? = nil, photos: [PhotoRecord], clientReference: String?, audiences: [AudienceID] = []
    ) {
        self.id = id
        self.author = author
        self.text = text
        self.mentions = mentions
        self.timestamp = timestamp
        self.clientTimestamp = clientTimestamp
        self.photos = photos
        self.clientReference = clientReference
        self.audiences = audiences
    }

    /// The kind of content, by which readers of a feed choose a cell.
    package var kind: String {
        photos.isEmpty ? "text" : text.isEmpty ? "photo" : "photo_text"
    }

    /// Writes the post with the commit's position in the change log (`published`), its entries in the author's posts
    /// and in the author's feed, and its hashtags. A post for audiences is in none of these lists.
    ///
    /// - Parameter base: The public address of the service; nil for addresses without a host.
    /// - Throws: `TreeError` when a recipe's name cannot be a key.
    package func write(to update: inout MultiPathUpdate, at base: PublicBase? = nil) throws(TreeError) {
        let path = audiences.isEmpty ? PostNodes.post(id) : AudienceNodes.post(id)
        update[path] = try value(at: base)
        update.set(path / PostField.published.key, to: .position)
        guard audiences.isEmpty else { return }
        update[PeopleNodes.ownPost(author.uid) / id.key] = true
        update[FeedNodes.entry(author.uid) / id.key] = true
        for tag in Hashtags.tags(in: text) {
            update[PostNodes.tagged(tag) / id.key] = true
        }
    }

    private func value(at base: PublicBase?) throws(TreeError) -> TreeValue {
        let photos = try PostPhotos(photos).fields(owner: author.uid, post: id, at: base)
        var fields: [TreeKey: TreeValue] = [:]
        for field in PostField.allCases { fields[field.key] = value(of: field, photos: photos) }
        return .object(fields)
    }

    /// Returns a field as it is written; nil for one that is absent, or that the commit adds.
    private func value(of field: PostField, photos: [TreeKey: TreeValue]) -> TreeValue? {
        switch field {
        case .author: author.author
        case .timestamp: timestamp.value
        case .clientTimestamp: clientTimestamp?.value
        case .text: text.isEmpty ? nil : .string(text)
        case .kind: .string(kind)
        case .clientReference: clientReference.map(TreeValue.string)
        case .mentions: mentions
        case .audiences: audiences.isEmpty ? nil : .audiences(audiences)
        case .photos, .fullURL, .fullStorageURI, .thumbURL, .thumbStorageURI: photos[field.key]
        case .published, .edited, .clientEdited, .client, .sanitized, .moderated: nil
        }
    }
}

/// The fields of a post about its photos; a rethumb run replaces these and no others.
package struct PostPhotos: Sendable {
    private let photos: [PhotoRecord]

    package init(_ photos: [PhotoRecord]) {
        self.photos = photos
    }

    /// Returns `photos/{n}`, and FriendlyPix's four fields about the first photo.
    ///
    /// - Parameter base: The public address of the service; nil for addresses without a host.
    package func fields(owner: UserID, post: PostID, at base: PublicBase?) throws(TreeError) -> [TreeKey: TreeValue] {
        let values = try photos.map { photo throws(TreeError) in try photo.value(owner: owner, post: post, at: base) }
        guard let first = photos.first, let firstValue = values.first else { return [:] }
        var records: [TreeKey: TreeValue] = [:]
        for (index, value) in values.enumerated() { records[try TreeKey(String(index))] = value }
        var fields = Self.firstFields(first, firstValue)
        fields[PostField.photos.key] = .object(records)
        return fields
    }

    /// Returns FriendlyPix's four fields about the first photo, with the addresses in its record.
    package static func firstFields(_ photo: PhotoRecord, _ record: TreeValue) -> [TreeKey: TreeValue] {
        let bySize = photo.renditions.sorted {
            ($0.value.width * $0.value.height, $0.value.fileName) < (
                $1.value.width * $1.value.height, $1.value.fileName
            )
        }.map(\.key)
        func field(_ name: String?, _ field: TreeKey) -> TreeValue? {
            name.flatMap { record["renditions"]?[TreeKey(unchecked: $0)]?[field] }
        }
        let full = photo.renditions["full"] != nil ? "full" : bySize.last
        let thumb = photo.renditions["thumb"] != nil ? "thumb" : bySize.first
        var fields: [TreeKey: TreeValue] = [:]
        fields[PostField.fullURL.key] = field(full, "url")
        fields[PostField.fullStorageURI.key] = field(full, "storage_uri")
        fields[PostField.thumbURL.key] = field(thumb, "url")
        fields[PostField.thumbStorageURI.key] = field(thumb, "storage_uri")
        return fields
    }

    /// Reads the photos of a post record, in order; nil if one cannot be read.
    package static func read(_ post: TreeValue) -> [PhotoRecord]? {
        guard let photos = post["photos"] else { return [] }
        guard let records = photos.object?.sorted(by: { $0.key < $1.key }) else { return nil }
        let read = records.compactMap { PhotoRecord($0.value) }
        return read.count == records.count ? read : nil
    }
}
