package import API
import Imaging
import Model
import Store
import Tree
import Uploads

/// An estimate of a rethumb run: the number of posts, the bytes and the time, from a sample that is rendered and
/// discarded.
package struct RethumbPlan: Sendable {
    /// The number of posts up to which every post is examined; of more posts, a random sample of this size is examined,
    /// as far as time allows.
    private static let maxLooks = 500
    private static let lookTime = Duration.milliseconds(150)
    /// The maximum number of posts that are rendered; ``patience`` limits the time for it.
    private static let maxRenders = 16
    private static let renderTime = Duration.milliseconds(300)

    private let tools: PostTools
    private let order: BatchOrder

    package init(_ tools: PostTools, _ order: BatchOrder) { (self.tools, self.order) = (tools, order) }

    /// Computes the estimate. Changes nothing.
    package func document() async throws -> BatchPlanDocument {
        var selection = order.selection
        selection.ids = order.posts?.sorted()
        let job = Rethumb(tools, selection: selection, isDryRun: true, by: order.recipes, rethumbRun: nil)
        let total = try await job.count()
        let sample = try await sample(of: job, selection, total)
        var (wanted, failed, failure): ([PostID], Int, String?) = ([], 0, nil)
        let start = ContinuousClock.now
        var count = 0
        for id in sample where total <= Self.maxLooks || ContinuousClock.now - start < Self.lookTime {
            count += 1
            do {
                if try await job.change(id) { wanted.append(id) }
            } catch let error as Failure {
                (failed, failure) = (failed + 1, "post \(id): \(error)")
            }
        }
        let scale = count == 0 ? 0 : Double(total) / Double(count)
        func estimate(_ count: Int) -> Int { Int((Double(count) * scale).rounded()) }
        var document = BatchPlanDocument(
            kind: .rethumb, total: total, posts: estimate(wanted.count), failed: estimate(failed))
        document.lastFailure = failure
        if count < total { document.sampled = count }
        guard let cost = try await cost(of: wanted.shuffled()) else { return document }
        document.bytes = Int(cost.bytes * Double(document.posts))
        let workers = Double(min(tools.scheduler.workers, order.pace.concurrency ?? .max))
        document.seconds = Int((cost.seconds * Double(document.posts) / workers).rounded(.up))
        return document
    }

    /// The posts to examine: all, or a random sample of many.
    private func sample(of job: Rethumb, _ selection: PostSelection, _ total: Int) async throws -> [PostID] {
        var ids: Set<PostID> = []
        guard total > Self.maxLooks else {
            var last: PostID?
            while true {
                let page = try await job.page(after: last)
                guard let end = page.last else { return ids.sorted() }
                ids.formUnion(page)
                last = end
            }
        }
        if let list = selection.ids { return Array(list.shuffled().prefix(Self.maxLooks)) }
        // A random time, and the first post after it: close enough for an estimate.
        let posts = selection.posts
        guard let first = try await posts.page(after: nil, limit: 1, in: tools.tree).first else { return [] }
        let start = ContinuousClock.now
        let end = max(first.timestamp + .milliseconds(1), min(selection.until ?? .max, tools.now))
        for _ in 0..<Self.maxLooks where ContinuousClock.now - start < Self.lookTime {
            let moment = PostID.first(at: .random(in: first.timestamp..<end))
            if let id = try await posts.page(after: moment, limit: 1, in: tools.tree).first {
                ids.insert(id)
            }
        }
        return ids.shuffled()
    }

    /// The average cost of one post: seconds of a worker, and bytes of renditions; nil if none could be rendered. A
    /// user waits for the result, so the posts are not rendered as batch work.
    private func cost(of posts: [PostID]) async throws -> (seconds: Double, bytes: Double)? {
        let settings = tools.settings
        let start = ContinuousClock.now
        var (count, bytes) = (0, 0)
        for id in posts.prefix(Self.maxRenders) where ContinuousClock.now - start < Self.renderTime {
            guard let record = try await tools.tree.snapshot({ try ObjectPosts.upload(behindPost: id, in: $0) }) else {
                continue
            }
            do {
                for photo in record.photos.values {
                    let image = try await tools.scheduler.render(
                        recipes: photo.treated(order.recipes ?? settings.recipes), limits: settings.limits,
                        priority: .queued, for: record.owner.description
                    ) { try await tools.blobs.open(record.blobName(photo.fileName)) }
                    bytes += image.renditions.reduce(0) { $0 + $1.bytes.count }
                }
                count += 1
            } catch  where !(error is CancellationError) {
                continue  // The run counts it as a failure.
            }
        }
        guard count > 0 else { return nil }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        return (seconds / Double(count), Double(bytes) / Double(count))
    }
}
