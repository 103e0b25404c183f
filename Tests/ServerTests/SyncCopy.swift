import Client
import HTTPTypes
import TestSupport
import Testing

/// The copy that a device of maria's keeps, brought up to date by `/v1/sync` alone.
struct SyncCopy: Sendable {
    private(set) var posts: [String: JSON] = [:]
    private(set) var stories: [String: JSON] = [:]
    private(set) var notifications: [String: JSON] = [:]
    private(set) var unread = 0
    private(set) var audiences: [String: JSON] = [:]
    private(set) var uploads: [String: JSON] = [:]
    private(set) var next: String?
    /// The number of lists that were replaced.
    private(set) var resets = 0
    /// The number of answers that changed something.
    private(set) var changes = 0

    /// Reads all differences.
    mutating func catchUp(_ service: some AskedService, as uid: String = "maria", _ query: String = "") async throws {
        var hasMore = true
        while hasMore {
            let since = next.map { "&since=\($0)" } ?? ""
            let answer = try await service.ask(.get, "/v1/sync?limit=200\(since)\(query)", as: uid)
            try #require(answer.status == 200, "\(answer.text)")
            let token = answer.headers[.named("tintype-token")]
            #expect(token.map { answer.json["next"].string?.hasPrefix("\($0).") } == true)
            take(answer.json)
            hasMore = answer.json["more"].bool == true
        }
    }

    mutating func take(_ document: JSON) {
        next = document["next"].string
        if document["feed"] != .null || document["counts"] != .null || document["notifications"] != .null
            || document["stories"] != .null || document["audiences"] != .null
        {
            changes += 1
        }
        resets += Self.merge(document["feed"], "posts", id: "post_id", into: &posts)
        resets += Self.merge(document["stories"], "posts", id: "post_id", into: &stories)
        resets += Self.merge(document["notifications"], "notifications", id: "id", into: &notifications)
        resets += Self.merge(document["audiences"], "audiences", id: "id", into: &audiences)
        resets += Self.merge(document["uploads"], "uploads", id: "upload_id", into: &uploads)
        for counts in document["counts"].array { count(counts) }
        unread = document["notifications"]["unread"].int ?? unread
    }

    /// Changes a list by a part of an answer.
    ///
    /// - Returns: The number of times that the list was replaced.
    private static func merge(_ part: JSON, _ list: String, id: String, into copy: inout [String: JSON]) -> Int {
        let isReset = part["reset"].bool == true
        if isReset { copy = [:] }
        for author in part["left"].array { copy = copy.filter { $0.value["author"]["uid"] != author } }
        for gone in part["removed"].array { copy[gone.string ?? ""] = nil }
        for element in part[list].array { copy[element[id].string ?? ""] = element }
        return isReset ? 1 : 0
    }

    private mutating func count(_ counts: JSON) {
        let id = counts["post_id"].string ?? ""
        guard case .object(var fields)? = posts[id] else { return }
        fields["counts"] = .object(["likes": counts["likes"], "comments": counts["comments"]])
        fields["liked"] = counts["liked"]
        posts[id] = .object(fields)
    }

    /// Reads the same lists by their own endpoints.
    static func whole(_ service: some AskedService, as uid: String = "maria") async throws -> SyncCopy {
        func list(_ path: String, _ name: String, id: String) async throws -> ([String: JSON], Answer) {
            let answer = try await service.ask(.get, path, as: uid)
            try #require(answer.status == 200, "\(path): \(answer.text)")
            return (Dictionary(uniqueKeysWithValues: answer.json[name].array.map { ($0[id].string ?? "", $0) }), answer)
        }
        var copy = SyncCopy()
        copy.posts = try await list("/v1/people/\(uid)/feed?limit=200", "posts", id: "post_id").0
        copy.stories = try await list("/v1/people/\(uid)/stories?limit=200", "posts", id: "post_id").0
        let (notifications, answer) = try await list(
            "/v1/people/\(uid)/notifications?limit=200", "notifications", id: "id")
        (copy.notifications, copy.unread) = (notifications, answer.json["unread"].int ?? 0)
        copy.audiences = try await list("/v1/audiences?limit=200", "audiences", id: "id").0
        return copy
    }

    /// Returns what only one of the two has, or what differs: whole posts, but of notifications only what does not
    /// follow another person's name.
    func difference(from other: SyncCopy) -> [String] {
        func differences(_ name: String, _ mine: [String: JSON], _ theirs: [String: JSON]) -> [String] {
            Set(mine.keys).union(theirs.keys).filter { mine[$0] != theirs[$0] }.map {
                "\(name) \($0): \(mine[$0] ?? .null) is to be \(theirs[$0] ?? .null)"
            }
        }
        func kinds(_ notifications: [String: JSON]) -> [String: JSON] {
            notifications.mapValues {
                .array([$0["kind"], $0["unread"], $0["post"], $0["timestamp"], $0["created"], $0["updated"]])
            }
        }
        return differences("post", posts, other.posts) + differences("story", stories, other.stories)
            + differences("notification", kinds(notifications), kinds(other.notifications))
            + differences("audience", audiences, other.audiences)
            + (unread == other.unread ? [] : ["unread \(unread) is to be \(other.unread)"])
    }
}
