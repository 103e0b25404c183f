import Glibc

/// Measures the cost of updating counters, lists and the other sides of links in the commit that causes the change.
///
/// The peer is the same service without derived data: a tree with another name.
struct SocialBenchmark {
    private let service: Service
    private let connection: Connection
    private let seconds: Double

    init(_ service: Service, seconds: Double) throws {
        self.service = service
        self.seconds = seconds
        connection = try Connection(unix: service.socketPath)
    }

    func run() throws {
        defer { connection.close() }
        try measurePosts()
        try measureLikes()
        try measureFollow(posts: 100_000)
    }

    // MARK: Posts

    /// Measures a post of three nodes, as FriendlyPix's clients write it, in turn with and without derived data.
    private func measurePosts() throws {
        var number = 0
        var times: [Bool: [Double]] = [false: [], true: []]
        for isDerived in [false, true, true, false, false, true, true, false] {
            let before = service.cpuSeconds
            let load = try HTTPLoad(connections: 64, to: service.socketPath, seconds: seconds / 8) { _ in
                number += 1
                return Self.post(number, isDerived: isDerived)
            }
            times[isDerived]?.append((service.cpuSeconds - before) / Double(max(1, load.latencies.count)) * 1e6)
        }
        let (plain, derived) = (times[false]?.min() ?? 0, times[true]?.min() ?? 0)
        print(
            """
              a post: \(rounded(plain, 1)) µs of processor time without derived data, \(rounded(derived, 1)) with it, \
            \(rounded(derived / plain, 3)) times as much (the least of 4 rounds each)
            """)
    }

    private static func post(_ number: Int, isDerived: Bool) -> [UInt8] {
        let (person, id) = ("person\(number % 100)", id(of: number))
        return HTTP.request(
            "PATCH", "/.json?print=silent\(isDerived ? "" : "&ns=plain")",
            """
            {"posts/\(id)":{"author":{"uid":"\(person)","full_name":"A Person"},"text":"A tintype took fifteen minutes.",\
            "timestamp":{".sv":"timestamp"},"client":"web","full_url":"https://photos.example/full.jpg",\
            "thumb_url":"https://photos.example/thumb.jpg"},"people/\(person)/posts/\(id)":true,\
            "feed/\(person)/\(id)":true}
            """)
    }

    private static func id(of number: Int) -> String { "-P\(100_000_000_000_000_000 + number)" }

    // MARK: Likes

    /// Measures likes of one post by 64 clients, by the database and by the route, and checks the counter.
    private func measureLikes() throws {
        let id = Self.id(of: 0)
        let post = #"{"author":{"uid":"a"},"text":"x","timestamp":1}"#
        try connection.exchange(HTTP.request("PUT", "/posts/\(id).json?print=silent", post))
        var number = 0
        let raw = try HTTPLoad(connections: 64, to: service.socketPath, seconds: seconds / 2) { _ in
            number += 1
            return HTTP.request("PUT", "/likes/\(id)/fan\(number).json?print=silent", #"{".sv":"timestamp"}"#)
        }
        print("  likes of one post, by the database: \(rounded(raw.perSecond, 0)) a second, \(try counted(id, number))")
        let route = try HTTPLoad(connections: 64, to: service.socketPath, seconds: seconds / 2) { _ in
            number += 1
            return HTTP.request("PUT", "/v1/posts/\(id)/likes/fan\(number)", "")
        }
        print("  likes of one post, by the route: \(rounded(route.perSecond, 0)) a second, \(try counted(id, number))")
    }

    /// Compares the counter of likes with the number of users who like the post, after the last requests have ended.
    private func counted(_ id: String, _ sent: Int) throws -> String {
        var (likes, last) = ("", "")
        repeat {
            last = likes
            usleep(200_000)
            likes = try text(of: "/likes/\(id).json?count=true")
        } while likes != last
        let number = try text(of: "/stats/posts/\(id)/likes.json")
        return number == likes ? "\(number) counted exactly" : "COUNTED WRONGLY: \(number) of \(likes), \(sent) sent"
    }

    private func text(of target: String) throws -> String {
        String(decoding: try connection.fetch(HTTP.request("GET", target)), as: UTF8.self)
    }

    // MARK: Follows

    /// Measures a follow of an author with many posts, which are copied into the feed afterwards.
    private func measureFollow(posts: Int) throws {
        for first in stride(from: 0, to: posts, by: 1000) {
            let members = (first..<first + 1000).map { number in
                #""posts/-Q\#(100_000_000_000_000_000 + number)":{"author":{"uid":"busy"},"text":"x","timestamp":1}"#
            }
            try connection.exchange(HTTP.request("PATCH", "/.json?print=silent", "{\(members.joined(separator: ","))}"))
        }
        var latencies: [Double] = []
        for number in 0..<100 {
            // The feed must have been read once: the service copies no posts into unread feeds.
            try connection.exchange(
                HTTP.request("PUT", "/people/reader\(number).json?print=silent", #"{"full_name":"A Reader"}"#))
            try connection.exchange(HTTP.request("GET", "/v1/people/reader\(number)/feed"))
            let begin = Clock.seconds
            try connection.exchange(
                HTTP.request("PUT", "/people/reader\(number)/following/busy.json?print=silent", "true"))
            latencies.append((Clock.seconds - begin) * 1000)
        }
        // They unfollow again: otherwise jobs would copy posts for hours.
        let departures = (0..<100).map { #""reader\#($0)/following/busy":null"# }
        try connection.exchange(
            HTTP.request("PATCH", "/people.json?print=silent", "{\(departures.joined(separator: ","))}"))
        latencies.sort()
        print(
            """
              a follow of an author with \(posts) posts: median \(rounded(latencies[50], 2)) ms, the slowest of 100 \
            \(rounded(latencies[99], 2)) ms
            """)
    }
}
