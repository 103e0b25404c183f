import Glibc

/// Measures home feeds among many posts of many people, which the service updates when they are read, beside a naive
/// fan-out in the same engine: clients that write each post into the feed of every follower, in a tree without derived
/// data, and read feeds like Realtime Database clients.
struct HomeFeedBenchmark {
    private let service: Service
    private let connection: Connection
    private let people: Int
    private let posts: Int
    private var nextPost = 0
    private var random = SplitMix(state: 1)

    init(_ service: Service, people: Int, posts: Int) throws {
        self.service = service
        (self.people, self.posts) = (people, posts)
        connection = try Connection(unix: service.socketPath)
    }

    mutating func run() throws {
        defer { connection.close() }
        try fill()
        try measureReading(readers: 200, followees: 300, new: 20, others: 80)
        try measureReading(readers: 20, followees: 5000, new: 0, others: 1000)
        try measureReading(readers: 20, followees: 5000, new: 20, others: 20_000)
        for followers in [100, 10_000] { try measurePublishing(followers: followers) }
    }

    // MARK: Data

    private mutating func fill() throws {
        let begin = Clock.seconds
        for first in stride(from: 0, to: people, by: 1000) {
            let members = (first..<min(first + 1000, people)).map { #""p\#($0)":{"full_name":"Person \#($0)"}"# }
            try patch("/people.json", members)
        }
        for first in stride(from: 0, to: posts, by: 1000) {
            try publish((first..<min(first + 1000, posts)).map { _ in random.below(people) })
        }
        let duration = Clock.seconds - begin
        print("  (\(people) people and \(posts) posts written in \(rounded(duration, 1)) s)")
    }

    private func patch(_ path: String, _ members: [String]) throws {
        try connection.exchange(
            HTTP.request("PATCH", "\(path)?print=silent", "{\(members.joined(separator: ","))}"))
    }

    /// Publishes a post of each of these people, in one update.
    private mutating func publish(_ authors: [Int]) throws {
        guard !authors.isEmpty else { return }
        var members: [String] = []
        for author in authors {
            members.append(#""\#(Self.id(of: nextPost))":\#(Self.post(of: author))"#)
            nextPost += 1
        }
        try patch("/posts.json", members)
    }

    private static func id(of number: Int) -> String { "-P\(100_000_000_000_000_000 + number)" }

    private static func post(of author: Int) -> String {
        """
        {"author":{"uid":"p\(author)","full_name":"Person \(author)"},"text":"A tintype took fifteen minutes.",\
        "timestamp":{".sv":"timestamp"},"full_url":"/media/p/full.jpg","thumb_url":"/media/p/thumb.jpg"}
        """
    }

    /// Chooses this many different people.
    private mutating func chosen(_ count: Int) -> [Int] {
        var chosen: Set<Int> = []
        while chosen.count < min(count, people) { chosen.insert(random.below(people)) }
        return chosen.sorted()
    }

    /// Chooses this many people outside a set, possibly some of them more than once.
    private mutating func strangers(_ count: Int, besides followed: Set<Int>) -> [Int] {
        var strangers: [Int] = []
        while strangers.count < count, followed.count < people {
            let person = random.below(people)
            if !followed.contains(person) { strangers.append(person) }
        }
        return strangers
    }

    // MARK: Reading

    /// Measures pages of twenty posts, each read after `new` posts of followed people and `others` posts of other
    /// people.
    private mutating func measureReading(readers: Int, followees: Int, new: Int, others: Int) throws {
        var (latencies, writing): ([Double], [Double]) = ([], [])
        for reader in 0..<readers {
            let name = "reader\(followees)x\(new)n\(reader)"
            let followed = chosen(followees)
            let links = followed.map { #""p\#($0)":true"# }.joined(separator: ",")
            try patch("/people.json", [#""\#(name)":{"full_name":"Reader","following":{\#(links)}}"#])
            try readToTheEnd(name)
            try settle()
            try publish(strangers(others, besides: Set(followed)))
            try publish(followed.prefix(new).shuffled(using: &random))
            latencies.append(
                try time { try connection.exchange(HTTP.request("GET", "/v1/people/\(name)/feed?limit=20")) })
            // The feed that the page has updated is written before the connection's next request.
            writing.append(
                try time { try connection.exchange(HTTP.request("GET", "/people/\(name)/full_name.json")) })
        }
        latencies.sort()
        writing.sort()
        print(
            """
              a home page, following \(followees) of whom \(new) posted since, and \(others) others: \
            median \(rounded(latencies[latencies.count / 2], 2)) ms, \
            p99 \(rounded(latencies[latencies.count * 99 / 100], 2)) ms of \(latencies.count); \
            its feed is written \(rounded(writing[writing.count / 2], 2)) ms later
            """)
    }

    /// Reads the first page until the feed has everything.
    private func readToTheEnd(_ reader: String) throws {
        while true {
            let page = try connection.fetch(HTTP.request("GET", "/v1/people/\(reader)/feed?limit=20"))
            guard page.firstRange(of: Array(#""complete":false"#.utf8)) != nil else { return }
        }
    }

    /// Waits for the jobs that a new person with thousands of follows has caused: they are not measured.
    private func settle() throws {
        while try connection.fetch(HTTP.request("GET", "/v1/status")).firstRange(of: Array(#""jobs":{"#.utf8)) != nil {
            usleep(2000)
        }
    }

    // MARK: Publishing

    /// Measures the post of a person with many followers, and then the page of one follower with it: by the service,
    /// and by a client that writes the post into all their feeds.
    private mutating func measurePublishing(followers: Int) throws {
        let author = "author\(followers)"
        let names = (0..<followers).map { "fan\(followers)x\($0)" }
        for first in stride(from: 0, to: followers, by: 1000) {
            let fans = names[first..<min(first + 1000, followers)]
            try patch("/people.json", fans.map { #""\#($0)":{"full_name":"Fan","following":{"\#(author)":true}}"# })
        }
        guard let reader = names.first else { return }
        try readToTheEnd(reader)
        var (publishing, reading, fanOut, join): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
        for _ in 0..<20 {
            let id = Self.id(of: nextPost)
            nextPost += 1
            let post = Self.post(of: 0).replacing("p0", with: author)
            publishing.append(try time { try patch("/.json", [#""posts/\#(id)":\#(post)"#]) })
            reading.append(
                try time { try connection.exchange(HTTP.request("GET", "/v1/people/\(reader)/feed?limit=20")) })
            let entries = names.map { #""feed/\#($0)/\#(id)":true"# }
            let update = #"{"posts/\#(id)":\#(post),\#(entries.joined(separator: ","))}"#
            fanOut.append(
                try time { try connection.exchange(HTTP.request("PATCH", "/.json?ns=plain&print=silent", update)) })
            join.append(try time { try readAsClient(reader) })
        }
        func median(_ times: [Double]) -> String { rounded(times.sorted()[times.count / 2], 2) }
        print(
            """
              a post for \(followers) followers: \(median(publishing)) ms, and a page with it \(median(reading)) ms; \
            written into each feed: \(median(fanOut)) ms, and a page \(median(join)) ms
            """)
    }

    /// Reads a page like a client of the database: the feed's newest ids, and each post with its counters.
    private func readAsClient(_ reader: String) throws {
        let newest = "/feed/\(reader).json?ns=plain&orderBy=%22$key%22&limitToLast=20"
        let feed = String(decoding: try connection.fetch(HTTP.request("GET", newest)), as: UTF8.self)
        for part in feed.split(separator: "\"") where part.hasPrefix("-P") {
            for place in ["posts/\(part)", "stats/posts/\(part)", "likes/\(part)/\(reader)"] {
                try connection.exchange(HTTP.request("GET", "/\(place).json?ns=plain"))
            }
            try connection.exchange(
                HTTP.request("GET", "/comments/\(part).json?ns=plain&orderBy=%22$key%22&limitToFirst=2"))
        }
    }

    private func time(_ body: () throws -> Void) rethrows -> Double {
        let begin = Clock.seconds
        try body()
        return (Clock.seconds - begin) * 1000
    }
}

/// Random numbers that are the same in each run (splitmix64, Steele, Lea and Flood 2014).
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(bound, 1))) }
}
