import ArgumentParser
import Foundation
import HTTPTypes

/// Lists the newest posts.
struct PostsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "posts",
        abstract: "List posts, the newest first.",
        discussion: """
            EXAMPLES
              tintype posts
              tintype posts --user maria --limit 5
              tintype posts --json
            """)

    @OptionGroup var storage: StorageOptions

    @Option(help: ArgumentHelp("Only this person's posts.", valueName: "user"))
    var user: String?

    @Option(help: ArgumentHelp("How many, 1 to 200.", valueName: "n"))
    var limit = 20

    @Flag(help: "Print the page as one JSON document.")
    var json = false

    private struct Page: Decodable {
        struct Post: Decodable {
            struct Author: Decodable { let uid: String }
            struct Photo: Decodable {}
            let postId: String
            let timestamp: Int64
            let author: Author
            let text: String?
            let photos: [Photo]?
        }
        let posts: [Post]
        let hasMore: Bool
    }

    func validate() throws {
        guard (1...200).contains(limit) else { throw ValidationError("--limit is 1 to 200") }
    }

    func run() async throws {
        let path = user.map { "/v1/people/\(Service.percentEncoded($0))/posts" } ?? "/v1/posts"
        let document = try await Service(storage).send(.get, path, query: ["limit": "\(limit)"])
        if json { return Terminal.say(String(decoding: document, as: UTF8.self)) }
        let page = try JSONDecoder.snakeCase.decode(Page.self, from: document)
        for post in page.posts {
            let time = Date(timeIntervalSince1970: Double(post.timestamp) / 1000).formatted(.iso8601)
            let count = post.photos?.count ?? 0
            let photos = count == 1 ? "1 photo " : "\(count) photos"
            let text = (post.text ?? "").replacingOccurrences(of: "\n", with: " ").prefix(60)
            Terminal.say("\(post.postId)  \(time)  \(photos)  \(post.author.uid)  \(text)")
        }
        if page.posts.isEmpty { Terminal.tell("no posts yet") }
        if page.hasMore { Terminal.tell("there are more: raise --limit") }
    }
}
