package import API
package import Model
package import Social
import Tree

/// The drafts among the uploads: photos are added one by one, then the text publishes them.
package struct Drafts: Sendable {
    let store: UploadStore

    /// The number that the next photo of a draft gets. A number that is not used in the end leaves a harmless gap.
    ///
    /// - Throws: `Failure`: `not_found`, `wrong_state` when the upload is no draft any more, `too_many_photos`.
    func nextPhotoNumber(of id: PostID) async throws -> Int {
        try await store.tree.transact { [store] snapshot, update in
            try store.checkPhotoCount(try Self.record(of: id, in: snapshot).photos.count)
            let path = UploadNodes.upload(id) / "next_photo"
            let number = try snapshot.get(path)?.integerValue ?? 0
            update[path] = .integer(number + 1)
            update[UploadNodes.upload(id) / "updated_at"] = store.now.value
            return Int(number)
        }.result
    }

    /// Adds a photo to a draft's record, unless the draft was published or filled up meanwhile.
    func add(_ photo: UploadRecord.Photo, as number: Int, to id: PostID) async throws {
        try await store.tree.transact(at: "draft-photo") { snapshot, update in
            try add(photo, as: number, to: id, in: snapshot, &update)
        }
    }

    /// Adds a photo to a draft's record, as a part of an update.
    ///
    /// - Throws: `Failure`: `not_found`, `wrong_state` when the upload is no draft any more, `too_many_photos`.
    func add(
        _ photo: UploadRecord.Photo, as number: Int, to id: PostID, in snapshot: TreeSnapshot,
        _ update: inout MultiPathUpdate
    ) throws {
        let draft = try Self.record(of: id, in: snapshot)
        try store.checkPhotoCount(draft.photos.count)
        let path = UploadNodes.upload(id)
        update[path / "photos" / (try TreeKey(String(number)))] = try photo.value(owner: draft.owner, post: id)
        update[path / "updated_at"] = store.now.value
    }

    /// Notes what was sent with the draft's reference, once all of it has come.
    ///
    /// - Throws: `Failure` `wrong_state` when the draft was published or expired meanwhile.
    func note(_ fingerprint: RequestFingerprint, of id: PostID) async throws {
        try await store.tree.transact { snapshot, update in
            _ = try Self.record(of: id, in: snapshot)
            update[UploadNodes.upload(id) / "fingerprint"] = .string(fingerprint.hex)
        }
    }

    /// Gives a draft its text, and acknowledges it. Durable when it returns.
    ///
    /// - Parameters:
    ///   - text: Nil when the draft's own stays.
    ///   - mentions: Whom parts of it stand for; nil when the draft's own stay, as long as the text does.
    ///   - alts: Alternative texts of the photos, in their order; photos beyond them keep their own.
    ///   - photos: The numbers of the photos that the post has, in its order; nil for all, as they came.
    /// - Throws: `Failure`: `empty_post`, `bad_mention`, `bad_text` also for more alternative texts than photos, `bad_request`
    ///   for photos that the draft does not have, `wrong_state` when the draft was published or expired meanwhile.
    @discardableResult
    package func publish(
        _ id: PostID, text: String?, mentions: [MentionSpan.Claim]? = nil, alts: [String] = [], photos: [Int]? = nil
    ) async throws -> UploadRecord {
        try await store.acknowledge(id, from: .draft) {
            try $0.arrange(photos)
            try $0.describe(text: text, mentions: mentions, alts: alts)
        }
    }

    /// The record of a draft.
    ///
    /// - Throws: `Failure`: `not_found`, `wrong_state` when the upload is no draft any more.
    package func record(of id: PostID) async throws -> UploadRecord {
        try await store.tree.snapshot { snapshot in try Self.record(of: id, in: snapshot) }
    }

    /// The record of what is a draft, or was one.
    ///
    /// - Throws: `Failure` `not_found`.
    package func any(_ id: PostID) async throws -> UploadRecord {
        guard let record = try await store.record(of: id) else { throw UploadStore.unknownUpload(id) }
        return record
    }

    private static func record(of id: PostID, in snapshot: TreeSnapshot) throws -> UploadRecord {
        guard let record = try snapshot.upload(id) else { throw UploadStore.unknownUpload(id) }
        guard record.state == .draft else {
            throw Failure(
                .wrongState, "upload \(id) is \(record.state.rawValue), no draft",
                hint: "reserve a new one with draft=true")
        }
        try record.requireOwner()
        return record
    }
}

extension UploadRecord {
    /// Keeps the photos of these numbers, in this order, and drops the others; their files go when the post is committed.
    ///
    /// - Parameter numbers: Nil to leave the photos as they are.
    /// - Throws: `Failure` `bad_request` for a photo that is not there, or is named twice.
    package mutating func arrange(_ numbers: [Int]?) throws(Failure) {
        guard let numbers else { return }
        guard Set(numbers).count == numbers.count, numbers.allSatisfy({ photos[$0] != nil }) else {
            throw Failure(
                .badRequest, "photos names one that is not there, or one twice",
                hint: "give the numbers of the draft's photos that are to stay, in their order")
        }
        photos = photos.filter { numbers.contains($0.key) }
        for (position, number) in numbers.enumerated() { photos[number]?.position = position }
    }

    /// Takes in what a draft is published with: a text, unless it is nil, with its mentions, and alternative texts of the
    /// photos, in their order; photos beyond these keep their own.
    ///
    /// - Parameter claims: Nil to keep the mentions of the text that is there; of another text there are none then.
    /// - Throws: `Failure` `bad_text` for a text that is none, or for more alternative texts than photos, `bad_mention`.
    package mutating func describe(
        text: String?, mentions claims: [MentionSpan.Claim]?, alts: [String]
    ) throws(Failure) {
        let old = self
        if text != nil || claims != nil { try say(text ?? self.text, mentioning: claims ?? []) }
        if claims == nil, self.text == old.text { self = old }
        guard alts.count <= photos.count else {
            throw Failure(
                .badText, "there are \(alts.count) alternative texts, and \(photos.count) photos",
                hint: "give one for each photo, in their order")
        }
        for (number, alt) in zip(photoNumbers, alts) { photos[number]?.alt = try PostText.requireAlt(alt) }
    }
}
