package import Posts
import Tree

/// The drafts among the uploads: photos are added one by one, then the text publishes them.
package struct Drafts: Sendable {
    let store: UploadStore

    private var tree: TreeStore { store.tree }

    /// The number that the next photo of a draft gets. A number that is not used in the end leaves a harmless gap.
    ///
    /// - Throws: `PipelineError`: `not_found`, `wrong_state` when the upload is no draft any more, `too_many_photos`.
    func nextPhotoNumber(of id: PostID) async throws -> Int {
        while true {
            let record = try await record(of: id)
            try store.checkPhotoCount(record.photos.count)
            let path = Paths.upload(id) / "next_photo"
            let next = try await tree.get(path)
            let number = Int(next?.integerValue ?? 0)
            var update = MultiPathUpdate(preconditions: [.equals(path, next), Self.isDraft(id)])
            update[path] = .integer(Int64(number + 1))
            if try await tree.updateIfPossible(update) { return number }
        }
    }

    /// Adds a photo to a draft's record, unless the draft was published or filled up meanwhile.
    func add(_ photo: UploadRecord.Photo, as number: Int, to record: UploadRecord) async throws {
        let photos = Paths.upload(record.id) / "photos"
        while true {
            let stored = try await tree.get(photos)
            try store.checkPhotoCount(stored?.object?.count ?? 0)
            var update = MultiPathUpdate(preconditions: [Self.isDraft(record.id), .equals(photos, stored)])
            update[photos / (try TreeKey(String(number)))] = try photo.value(owner: record.owner, post: record.id)
            update[Paths.upload(record.id) / "updated_at"] = .integer(WallClock.milliseconds())
            if try await tree.commit(update, at: "draft-photo") { return }
            _ = try await self.record(of: record.id)
        }
    }

    /// Notes what was sent with the draft's reference, once all of it has come.
    ///
    /// - Throws: `PipelineError` `wrong_state` when the draft was published or expired meanwhile.
    func note(_ fingerprint: RequestFingerprint, of id: PostID) async throws {
        var update = MultiPathUpdate(preconditions: [Self.isDraft(id)])
        update[Paths.upload(id) / "fingerprint"] = .string(fingerprint.hex)
        guard try await tree.updateIfPossible(update) else {
            _ = try await record(of: id)
            return
        }
    }

    /// Gives a draft its text, and acknowledges it. Durable when it returns.
    ///
    /// - Parameters:
    ///   - text: Nil when the draft's own stays.
    ///   - alts: Alternative texts of the photos, in their order; photos beyond them keep their own.
    /// - Throws: `PipelineError`: `empty_post`, `bad_text` also for more alternative texts than photos, `wrong_state` when
    ///   the draft was published or expired meanwhile.
    @discardableResult
    package func publish(_ id: PostID, text: String?, alts: [String] = []) async throws -> UploadRecord {
        try await store.acknowledge(id, from: .draft) { try $0.describe(text: text, alts: alts) }
    }

    /// The record of a draft.
    ///
    /// - Throws: `PipelineError`: `not_found`, `wrong_state` when the upload is no draft any more.
    package func record(of id: PostID) async throws -> UploadRecord {
        guard let record = try await store.record(of: id) else { throw UploadStore.unknownUpload(id) }
        guard record.state == .draft else {
            throw PipelineError(
                .wrongState, "upload \(id) is \(record.state.rawValue), no draft",
                hint: "reserve a new one with draft=true")
        }
        return record
    }

    private static func isDraft(_ id: PostID) -> Precondition {
        .equals(Paths.upload(id) / "state", .string(UploadState.draft.rawValue))
    }
}

extension UploadRecord {
    /// Takes in what a draft is published with: a text, unless it is nil, and alternative texts of the photos, in their order;
    /// photos beyond these keep their own.
    ///
    /// - Throws: `PipelineError` `bad_text` for a text that is none, or for more alternative texts than photos.
    package mutating func describe(text: String?, alts: [String]) throws(PipelineError) {
        if let text { self.text = try PostText.requireText(text) }
        guard alts.count <= photos.count else {
            throw PipelineError(
                .badText, "there are \(alts.count) alternative texts, and \(photos.count) photos",
                hint: "give one for each photo, in their order")
        }
        for (number, alt) in zip(photos.keys.sorted(), alts) { photos[number]?.alt = try PostText.requireAlt(alt) }
    }
}
