package import API
import Access
import Concurrency
import Files
import Logging
package import Model
import Store
import Tree
package import Uploads

/// The moderation of a published post: an admin shows it as it is, blurs it, or refuses it.
///
/// Blurred renditions are separate files with names of their own. Clear renditions that must not be seen any longer are
/// deleted at once; the original stays, for its owner and admins alone, so that the post can be shown clear again.
package struct PostModeration: Sendable {
    private let tools: PostTools
    private let publisher: Publisher

    package init(_ tools: PostTools, _ publisher: Publisher) { (self.tools, self.publisher) = (tools, publisher) }

    /// Applies the decision of an admin. Durable on return.
    ///
    /// A post that is refused, or has a photo that is refused, is deleted. Showing or blurring the same photos again
    /// changes only the recorded decision and its time.
    ///
    /// - Throws: `Failure`: `not_found` if the post does not exist, also because it was refused before, or was not
    ///   uploaded here; `bad_request` if the decision cannot be applied to it; `changed_while_read` if it was changed
    ///   at the same time; the errors of rendering.
    package func moderate(_ id: PostID, _ verdict: ModerationVerdict) async throws -> ModerationDocument {
        let upload = try await tools.tree.snapshot { try ObjectLinks.upload(ofPost: id, in: $0) } ?? id
        let document = try await tools.garbage.locks.withLease(upload) { try await change(id, verdict) }
        if document.photos.contains(.blur) { try await tools.garbage.collect() }
        publisher.logger.notice(
            "an admin decided about a post",
            metadata: [
                "post": "\(id)", "decision": "\(verdict.decision.rawValue)", "reason": "\(verdict.printableReason)",
            ])
        return document
    }

    private func change(_ id: PostID, _ verdict: ModerationVerdict) async throws -> ModerationDocument {
        guard let path = try await tools.tree.snapshot({ try $0.path(ofPost: id) }),
            let post = try await tools.tree.get(path),
            var record = try await tools.tree.snapshot({ try ObjectPosts.upload(behindPost: id, in: $0) }),
            record.state == .published
        else {
            throw Failure(
                .notFound, "the post \(id) does not exist or was not uploaded here",
                hint: "List the newest with GET /v1/posts.")
        }
        guard let old = PostPhotos.read(post), old.count == record.photos.count,
            let decisions = verdict.decisions(photoCount: old.count)
        else {
            throw Failure(
                .badRequest, "the post does not have these photos",
                hint:
                    "Count photos from 0. If a client of the database changed the post's photos, correct them."
            )
        }
        if verdict.decision == .refuse || decisions.contains(.refuse) {
            let refusal = Moderation(.refuse, reason: verdict.printableReason, at: tools.now)
            _ = try await publisher.deletePost(id, by: .admin, refusal)
            return document(id, verdict, [], isDeleted: true)
        }
        guard verdict.decision == .pass || !decisions.isEmpty else {
            throw Failure(.badRequest, "a post without photos cannot be blurred", hint: "Refuse it, or let it pass.")
        }
        record.moderation = Moderation(verdict, at: tools.now)
        var changed: Set<Int> = []
        for (index, number) in record.photoNumbers.enumerated() {
            let isBlurred = decisions[index] == .blur
            if record.photos[number]?.isBlurred != isBlurred || old[index].isBlurred != isBlurred {
                changed.insert(index)
            }
            record.photos[number]?.isBlurred = isBlurred
        }
        try await apply(record, at: path, changed, old: old, value: post["photos"])
        return document(id, verdict, decisions, isDeleted: false)
    }

    /// Writes the decision to the post and to its upload's record, in one update.
    private func apply(
        _ record: UploadRecord, at post: TreePath, _ changed: Set<Int>, old: [PhotoRecord], value: TreeValue?
    ) async throws {
        let numbers = record.photoNumbers
        func add(to update: inout MultiPathUpdate, _ garbage: TreePath? = nil) throws {
            let path = UploadNodes.upload(record.id)
            update[path / "moderation"] = record.moderation?.value
            for index in changed {
                let isBlurred = record.photos[numbers[index]]?.isBlurred == true
                update[UploadNodes.photo(numbers[index], of: record.id) / "blurred"] = isBlurred ? true : nil
            }
        }
        guard !changed.isEmpty else {
            var update = MultiPathUpdate(preconditions: [.exists(UploadNodes.upload(record.id))])
            try add(to: &update)
            try await tools.tree.update(update)
            return
        }
        let isHiding = changed.contains { record.photos[numbers[$0]]?.isBlurred == true }
        let change = RenditionSwitch(
            tools: tools, path: post, record: record, old: old, value: value,
            recipes: tools.settings.recipes)
        guard try await change.run(changed, priority: .interactive, isAtOnce: isHiding, add: add) else {
            throw Failure(.changedWhileRead, "the post was changed meanwhile", hint: "Send it again.")
        }
    }

    private func document(
        _ id: PostID, _ verdict: ModerationVerdict, _ photos: [ModerationDecision], isDeleted: Bool
    ) -> ModerationDocument {
        let reason = verdict.printableReason
        return ModerationDocument(
            postID: id.description, decision: isDeleted ? .refuse : verdict.decision,
            reason: reason.isEmpty ? nil : reason, photos: photos, deleted: isDeleted)
    }
}
