package import API
package import Model
package import Social
import Tree
package import TreeModel

/// The drafts among the uploads: photos are added one by one, then the text publishes them.
package struct Drafts: Sendable {
    let store: UploadStore

    /// Returns the number of the next photo of a draft. A number that is not used leaves a harmless gap.
    ///
    /// - Throws: `Failure`: `not_found`, `wrong_state` if the upload is no longer a draft, `too_many_photos`.
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

    /// Adds a photo to a draft's record, unless the draft has been published or filled up meanwhile.
    func add(_ photo: UploadRecord.Photo, as number: Int, to id: PostID) async throws {
        try await store.tree.transact(at: "draft-photo") { snapshot, update in
            try add(photo, as: number, to: id, in: snapshot, &update)
        }
    }

    /// Adds a photo to a draft's record, as a part of an update.
    ///
    /// - Throws: `Failure`: `not_found`, `wrong_state` if the upload is no longer a draft, `too_many_photos`.
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

    /// Stores the fingerprint of the request with the draft's reference, once all of it has arrived.
    ///
    /// - Throws: `Failure` `wrong_state` if the draft was published or expired meanwhile.
    func note(_ fingerprint: RequestFingerprint, of id: PostID) async throws {
        try await store.tree.transact { snapshot, update in
            _ = try Self.record(of: id, in: snapshot)
            update[UploadNodes.upload(id) / "fingerprint"] = .string(fingerprint.hex)
        }
    }

    /// Sets the text of a draft and acknowledges it. Durable on return.
    ///
    /// - Parameters:
    ///   - text: The text; nil to keep the draft's own.
    ///   - mentions: The mentions in the text; nil to keep the draft's own as long as the text stays.
    ///   - alts: The alternative texts of the photos, in their order; the remaining photos keep their own.
    ///   - photos: The numbers of the photos that the post shows, in its order; nil for all, in the order of arrival.
    ///   - clientTime: The time at which it was published by the clock of the author's device; nil to keep the draft's.
    /// - Throws: `Failure`: `empty_post`, `bad_mention`, `bad_text` also for more alternative texts than photos,
    ///   `bad_request` for photos that the draft does not have, `wrong_state` if the draft was published or expired
    ///   meanwhile.
    @discardableResult
    package func publish(
        _ id: PostID, text: String?, mentions: [MentionSpan.Claim]? = nil, alts: [String] = [], photos: [Int]? = nil,
        at clientTime: Timestamp? = nil
    ) async throws -> UploadRecord {
        try await store.acknowledge(id, from: .draft) { [clock = store.clock] in
            try $0.arrange(photos)
            try $0.describe(text: text, mentions: mentions, alts: alts)
            if let clientTime { $0.clientTimestamp = min(clientTime, clock()) }
        }
    }

    /// Returns the record of a draft.
    ///
    /// - Throws: `Failure`: `not_found`, `wrong_state` if the upload is no longer a draft.
    package func record(of id: PostID) async throws -> UploadRecord {
        try await store.tree.snapshot { snapshot in try Self.record(of: id, in: snapshot) }
    }

    /// Returns the record of a current or former draft.
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
                .wrongState, "upload \(id) is \(record.state.rawValue), not a draft",
                hint: "Reserve a new one with draft=true.")
        }
        try record.requireOwner()
        return record
    }
}

extension UploadRecord {
    /// Keeps the photos with these numbers, in this order, and removes the others, whose files are deleted when the
    /// post is committed.
    ///
    /// - Parameter numbers: The numbers; nil to leave the photos as they are.
    /// - Throws: `Failure` `bad_request` for a photo that does not exist or is named twice.
    package mutating func arrange(_ numbers: [Int]?) throws(Failure) {
        guard let numbers else { return }
        guard Set(numbers).count == numbers.count, numbers.allSatisfy({ photos[$0] != nil }) else {
            throw Failure(
                .badRequest, "photos names a photo that does not exist, or one photo twice",
                hint: "Give the numbers of the draft's photos that should stay, in their order.")
        }
        photos = photos.filter { numbers.contains($0.key) }
        for (position, number) in numbers.enumerated() { photos[number]?.position = position }
    }

    /// Sets what a draft is published with: a text with its mentions, unless it is nil, and the alternative texts of
    /// the photos, in their order; the remaining photos keep their own.
    ///
    /// - Parameter claims: The mentions. Nil keeps those of the existing text; a new text has none then.
    /// - Throws: `Failure` `bad_text` for an invalid text or more alternative texts than photos, `bad_mention`.
    package mutating func describe(
        text: String?, mentions claims: [MentionSpan.Claim]?, alts: [String]
    ) throws(Failure) {
        let old = self
        if text != nil || claims != nil { try say(text ?? self.text, mentioning: claims ?? []) }
        if claims == nil, self.text == old.text { self = old }
        guard alts.count <= photos.count else {
            throw Failure(
                .badText, "there are \(alts.count) alternative texts, and \(photos.count) photos",
                hint: "Give one for each photo, in their order.")
        }
        for (number, alt) in zip(photoNumbers, alts) { photos[number]?.alt = try PostText.requireAlt(alt) }
    }
}
