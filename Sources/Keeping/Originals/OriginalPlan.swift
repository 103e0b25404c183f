package import API
import Model
import Store
import Tree
package import Uploads

/// An estimate of the effect of a rule for originals: the number of posts and bytes concerned, and the originals that
/// it would keep, with the reasons.
package struct OriginalPlan: Sendable {
    /// The number of posts up to which every post is examined; of more posts, a random sample of this size is examined.
    private static let maxLooks = 1000
    /// The maximum number of originals that are re-encoded for the estimate; ``patience`` limits the time for it.
    private static let maxEncodings = 16
    private static let patience = Duration.seconds(2)

    private let tools: PostTools
    private let order: BatchOrder

    package init(_ tools: PostTools, _ order: BatchOrder) { (self.tools, self.order) = (tools, order) }

    /// Computes the estimate. Changes nothing.
    ///
    /// - Throws: `Failure` `bad_request` if there is no rule.
    package func document() async throws -> BatchPlanDocument {
        let rule = try order.rule(orBy: tools.settings)
        let now = tools.now
        let job = OriginalRetention(tools, by: rule, user: order.selection.user, at: now)
        let total = try await job.count()
        let ids = try await sample(of: job, total, until: rule.deadline(at: now))
        var (posts, bytes) = (0, 0)
        var kept: [OriginalObstacle: Int] = [:]
        var due: [(record: UploadRecord, photo: UploadRecord.Photo)] = []
        for id in ids {
            try Task.checkCancellation()
            guard let post = try await OriginalPost(id, in: tools) else { continue }
            var isDue = false
            for (index, photo) in post.record.orderedPhotos.enumerated() {
                if let obstacle = try await post.obstacle(to: rule.action, ofPhoto: index, readsFiles: false) {
                    kept[obstacle, default: 0] += 1
                } else {
                    isDue = true
                    bytes += photo.fileByteCount
                    due.append((post.record, photo))
                }
            }
            posts += isDue ? 1 : 0
        }
        let scale = ids.isEmpty ? 0 : Double(total) / Double(ids.count)
        func estimate(_ count: Int) -> Int { Int((Double(count) * scale).rounded()) }
        var document = BatchPlanDocument(kind: .originals, total: total, posts: estimate(posts), failed: 0)
        if ids.count < total { document.sampled = ids.count }
        document.rule = rule.description
        document.bytesNow = estimate(bytes)
        document.kept = Dictionary(uniqueKeysWithValues: kept.map { ($0.key.rawValue, estimate($0.value)) })
        switch rule.action {
        case .drop: document.bytesAfter = 0
        case .reencode(let quality):
            guard let share = try await share(of: due.shuffled(), job, quality) else { return document }
            document.bytesAfter = Int((Double(estimate(bytes)) * share.bytes).rounded())
            document.seconds = Int((Double(estimate(due.count)) * share.seconds).rounded(.up))
        }
        return document
    }

    private func sample(of job: OriginalRetention, _ total: Int, until deadline: Timestamp) async throws -> Set<PostID>
    {
        var ids: Set<PostID> = []
        guard total > Self.maxLooks else {
            var last: PostID?
            while true {
                let page = try await job.page(after: last)
                guard let end = page.last else { return ids }
                ids.formUnion(page)
                last = end
            }
        }
        // A random time, and the first post after it: close enough for an estimate.
        guard let first = try await job.page(after: nil).first?.timestamp else { return [] }
        let end = max(first + .milliseconds(1), deadline)
        for _ in 0..<Self.maxLooks {
            let moment = PostID.first(at: .random(in: first..<end))
            if let id = try await job.page(after: moment).first { ids.insert(id) }
        }
        return ids
    }

    /// Re-encodes a few originals, and returns the ratio of their size afterwards to their size before, and the average
    /// time that one takes, in seconds; nil if none could be re-encoded.
    private func share(
        of due: [(record: UploadRecord, photo: UploadRecord.Photo)], _ job: OriginalRetention, _ quality: Int
    ) async throws -> (bytes: Double, seconds: Double)? {
        let start = ContinuousClock.now
        var (count, before, after) = (0, 0, 0)
        for (record, photo) in due.prefix(Self.maxEncodings) where ContinuousClock.now - start < Self.patience {
            do {
                let bytes = try await job.encoded(photo, of: record, quality: quality)
                before += photo.fileByteCount
                after += bytes?.count ?? photo.fileByteCount
                count += 1
            } catch  where !(error is CancellationError) {
                continue  // The run counts it as a failure.
            }
        }
        guard count > 0, before > 0 else { return nil }
        return (Double(after) / Double(before), (ContinuousClock.now - start) / .seconds(1) / Double(count))
    }
}

extension BatchOrder {
    /// The rule of a job over originals: its own, or that of the settings.
    ///
    /// - Throws: `Failure` `bad_request` if neither has one.
    package func rule(orBy settings: PipelineSettings) throws(Failure) -> OriginalRule {
        guard let rule = rule ?? settings.originals else {
            throw Failure(
                .badRequest, "originals are kept: there is no rule for them",
                hint: "Specify a rule, such as --rule drop,365d, or choose the setting originals.")
        }
        return rule
    }
}
