import API
package import Access
import Concurrency
package import Model
import Social
import Store
package import Tree
import TreeModel

extension Publisher {
    /// The longest wait for the lock of a post whose files are being replaced.
    private static let patience = Duration.seconds(30)
    /// The number of requests to the moderator about one edit, if the post is changed meanwhile each time.
    private static let maxQuestions = 5

    /// The question whether a moderator accepts the words of an edit.
    private struct Unapproved: Error {
        /// The upload of the post, with the words and photos that it would have.
        let record: UploadRecord
        let words: EditedPost.Words
        let areBlurred: [Bool]
    }

    /// Changes the text, the mentions, the alternative texts and the order of the photos of a post, and records the time.
    /// Durable on return. An edit that changes nothing writes nothing of the post. If posts are moderated, the moderator
    /// decides about new words first.
    ///
    /// - Parameters:
    ///   - identity: The requester: the author or an admin.
    ///   - condition: The condition of the edit; nil for none.
    ///   - key: The key of the request; a repeated request has no further effect, whatever its condition.
    /// - Throws: `Failure`: `not_found` if the post does not exist or cannot be shown, `permission_denied` or
    ///   `not_allowed` if it belongs to another user, `precondition_failed`, `key_reused`, `not_consented` if the author
    ///   adds words; the errors of ``EditedPost``, `bad_mention` if a mentioned person does not exist;
    ///   `moderation_refused`, `moderation_unavailable`; a transient one while the photos are being changed.
    package func editPost(
        _ id: PostID, _ edit: PostEdit, by identity: Identity, if condition: PostEdit.Condition?, as key: RequestKey?
    ) async throws -> SyncToken {
        let upload = try await tree.snapshot { try ObjectLinks.upload(ofPost: id, in: $0) } ?? id
        var approved: EditedPost.Words?
        for _ in 0..<Self.maxQuestions {
            do {
                guard edit.photos != nil else {
                    return try await apply(edit, of: id, by: identity, if: condition, as: key, approved)
                }
                // Jobs that replace files of the post rely on the order.
                return try await garbage.locks.withLease(upload, within: Self.patience) { [approved] in
                    try await apply(edit, of: id, by: identity, if: condition, as: key, approved)
                }
            } catch let question as Unapproved {
                try await approve(question)
                approved = question.words
            } catch is LeaseTimeout {
                break
            }
        }
        throw Failure(
            .unavailable, "the post is being changed", hint: "Send it again.", isTransient: true, retryAfter: 5)
    }

    private func apply(
        _ edit: PostEdit, of id: PostID, by identity: Identity, if condition: PostEdit.Condition?, as key: RequestKey?,
        _ approved: EditedPost.Words?
    ) async throws -> SyncToken {
        try await tree.transact { [store, isModerated = moderator != nil] snapshot, update in
            guard let path = try snapshot.path(ofPost: id), let post = try snapshot.get(path) else {
                throw Self.noPost(id)
            }
            try Self.judge(id, post, by: identity, "change another user's post", in: snapshot)
            if try key?.made(in: snapshot) != nil { return }
            try condition?.check(in: snapshot)
            if let fault = PostShape.fault(of: post) { throw Failure.noPost(id, because: fault) }
            let edited = try EditedPost(edit, of: post, at: path)
            key?.note(store.ids.next(), in: &update)
            guard !edited.writes.isEmpty else { return }
            try MentionSpan.requirePeople(edited.newMentions, in: snapshot)
            if edited.addsWords, let author = post["author"]?["uid"]?.stringValue, identity.uid == author,
                let uid = UserID(author)
            {
                try snapshot.requireConsent(of: uid, toContent: true)
            }
            let present = try ObjectPosts.upload(behindPost: id, in: snapshot)
            let upload = present?.purpose == .post ? present : nil
            let ordered = try upload.map { try $0.ordered(edited) }
            if isModerated, edited.addsWords, let ordered, approved != edited.words {
                throw Unapproved(
                    record: try ordered.worded(edited), words: edited.words, areBlurred: edited.photos.map(\.isBlurred))
            }
            if let upload, let ordered, edited.order != nil {
                try Self.move(upload, to: ordered, in: snapshot, &update)
            }
            for write in edited.writes { update[write.path] = write.value }
            update.set(path / PostField.edited.key, to: .timestamp)
            let clientTime = edit.clientTime.map { min($0, store.now) }
            if clientTime != nil || post[PostField.clientEdited.key] != nil {
                update[path / PostField.clientEdited.key] = clientTime?.value
            }
            // Another order is no news to the people whom the post mentions.
            if !edited.changesText { update.scope = .repair }
        }.token
    }

    /// Gives the photos of an upload another order, in its record and in the index of photos.
    private static func move(
        _ old: UploadRecord, to new: UploadRecord, in snapshot: TreeSnapshot, _ update: inout MultiPathUpdate
    ) throws {
        for (number, photo) in new.photos where photo.position != old.photos[number]?.position {
            update[UploadNodes.photo(number, of: new.id) / "position"] = photo.position.map { .integer(Int64($0)) }
        }
        guard let before = try PhotoIndex.entry(of: old, in: snapshot),
            let after = try PhotoIndex.entry(of: new, in: snapshot),
            before.path != after.path
        else { return }
        if before.value == .string(new.id.description) { update[before.path] = nil }
        if after.post == nil {
            update[after.path] = .string(new.id.description)
        } else if after.post != new.id {
            update[UploadNodes.upload(new.id) / "duplicates"] = DuplicatePolicy.newPost.value
        }
    }

    /// Requests the moderator's decision about the words of an edit. A post that is shown clear cannot be blurred by an
    /// edit of its words: a decision that demands it refuses the edit.
    private func approve(_ question: Unapproved) async throws {
        guard let moderator else { return }
        let answer: (verdict: ModerationVerdict, photos: [ModerationDecision])
        do {
            answer = try await moderator.verdictOnEdit(question.record, from: blobs)
        } catch let failure as Failure where failure.code == .moderationUnavailable {
            throw Failure(
                .moderationUnavailable, "the moderator has not decided",
                hint: "Send it again later: the post is unchanged.")
        }
        let blursMore = zip(answer.photos, question.areBlurred).contains { $0 == .blur && !$1 }
        let isRefused =
            answer.verdict.decision == .refuse || answer.photos.contains(.refuse) || blursMore
            || answer.photos.isEmpty && answer.verdict.decision == .blur
        guard !isRefused else { throw Failure.refusedByModeration(answer.verdict) }
    }
}

extension UploadRecord {
    /// Returns the record with the order of an edited post's photos.
    ///
    /// - Throws: `Failure` `bad_request` if the post shows other photos than the upload and their order changes.
    fileprivate func ordered(_ post: EditedPost) throws(Failure) -> UploadRecord {
        guard let order = post.order else { return self }
        let numbers = photoNumbers
        guard numbers.count == order.count else { throw Self.otherPhotos }
        var record = self
        for (index, old) in order.enumerated() { record.photos[numbers[old]]?.position = index }
        return record
    }

    /// Returns the record with the words and renditions of an edited post, whose order it has, for a moderator.
    fileprivate func worded(_ post: EditedPost) throws(Failure) -> UploadRecord {
        guard photos.count == post.photos.count else { throw Self.otherPhotos }
        var record = self
        try record.say(post.text, mentioning: [])
        for (number, photo) in zip(photoNumbers, post.photos) {
            record.photos[number]?.rendered = photo
            record.photos[number]?.alt = photo.alt
        }
        return record
    }

    private static let otherPhotos = Failure(
        .badRequest, "the post does not show the photos of its upload",
        hint: "Correct its photos in the database, where a client wrote them.")
}
