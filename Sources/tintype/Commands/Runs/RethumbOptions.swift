import API
import ArgumentParser
import Uploads

/// The posts that are rendered again, the recipes, and the speed.
struct RethumbOptions: RunOrderOptions {
    @Option(help: ArgumentHelp("Only this user's posts.", valueName: "user"))
    var user: String?

    @Option(help: ArgumentHelp("Only posts since this date.", valueName: "date"))
    var since: String?

    @Option(help: ArgumentHelp("Only posts before this date.", valueName: "date"))
    var until: String?

    @Flag(help: "Only posts that lack a rendition with the name of one of the recipes.")
    var onlyMissing = false

    @Flag(help: "Only renditions whose files are missing, or have the wrong size.")
    var onlyDamaged = false

    @Flag(name: .customLong("stdin"), help: "Only the posts whose ids are read from standard input, one per line.")
    var readsStandardInput = false

    @Option(
        name: .customLong("with"),
        help: ArgumentHelp(
            "A recipe for this run, instead of those of the settings, such as thumb=640,q70; may be repeated.",
            valueName: "recipe"))
    var recipes: [String] = []

    @Option(
        help: ArgumentHelp(
            "The number of posts to work on at the same time (default: enough for all workers).", valueName: "n"))
    var concurrency: Int?

    @Option(help: ArgumentHelp("The largest number of posts to check per second.", valueName: "n"))
    var limit: Int?

    func validate() throws {
        if let concurrency, !(1...64).contains(concurrency) {
            throw ValidationError("--concurrency is a number from 1 to 64")
        }
        if let limit, !(1...1_000_000).contains(limit) { throw ValidationError("--limit is a number of at least 1") }
        if readsStandardInput, user != nil { throw ValidationError("give either --stdin or --user") }
        if onlyMissing, onlyDamaged { throw ValidationError("give either --only-missing or --only-damaged") }
    }

    var order: PostRunOrder {
        var order = PostRunOrder(user: user, since: since, until: until)
        (order.onlyMissing, order.onlyDamaged) = (onlyMissing, onlyDamaged)
        (order.recipes, order.concurrency, order.limit) = (recipes, concurrency, limit)
        guard readsStandardInput else { return order }
        var posts: [String] = []
        while let line = readLine() {
            let id = line.trimmingPrefix(while: \.isWhitespace).prefix { !$0.isWhitespace }
            if !id.isEmpty { posts.append(String(id)) }
        }
        order.posts = posts
        return order
    }
}

extension ConfigurationOptions {
    /// Runs a body with the jobs of the service or, when none runs, with those of the Storage folder.
    func withJobs<R>(_ body: (PostRunsClient) async throws -> R) async throws -> R {
        do {
            return try await body(.service(APIClient(place)))
        } catch let error as Failure where error.code == .noService {
            let configuration = try completeConfiguration()
            return try await configuration.withPipeline(renderer: try configuration.photoRenderer()) { pipeline in
                try await body(.local(pipeline))
            }
        }
    }
}
