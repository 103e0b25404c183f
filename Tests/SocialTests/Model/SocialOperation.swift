import TestSupport
import TreeModel

/// An action of a person in the social model, or of the service. Each can be performed in any state, so that a run can
/// be repeated with some left out.
enum SocialOperation: Sendable {
    /// An update of a client of the database.
    case write([NaiveWrite])
    /// A post as the pipeline publishes it: with its lists, and with the person if the person does not exist.
    case publish(post: String, author: String, text: String, mentions: [String])
    case profile(String, name: String, picture: String?)
    case follow(String, String)
    case unfollow(String, String)
    case block(String, String)
    case unblock(String, String)
    case like(post: String, by: String)
    case unlike(post: String, by: String)
    case comment(post: String, by: String, mentions: [String])
    /// Edits a comment, given by its position among the post's.
    case edit(post: String, Int, by: String, mentions: [String])
    case removeComment(post: String, Int, by: String)
    case deletePerson(String)
    case audience(AudienceOperation)
    case flags(FlagOperation)
    case privacy(String, String, Bool)
    case announce(by: String?, to: [String])
    /// Deletes an announcement, given by its position among all.
    case retract(Int)
    case readAll(String)
    /// Reads up to a position in the list of notifications.
    case readUpTo(String, Int)
    case read(String, [Int])
    /// Marks a notification as read by a client's own update.
    case readRaw(String, Int)
    case dropNotification(String, Int)
    case dropNotifications(String)
    /// Reads a whole home feed, in pages, with one of three sets of bounds.
    case feed(String, bounds: Int, limit: Int)
    case jobs
    case jobRound
    /// Runs the outbox; a part of the attempts fails.
    case deliver(failing: Int)
    case outbox(Bool)
    case repair
    case restart
    case wait(Int64)
}

/// Creates random operations on a few people and posts.
struct SocialOperations {
    static let people = ["ann", "bob", "cat", "dan", "eve", "fay"]
    /// Ids are reserved long before publication: their order has no meaning.
    static let posts = (0..<18).map { number in
        "-P" + String(repeating: "x", count: 15) + String("abcdefghijklmnopqr"[offset: (number * 7) % 18])
            + "\(100 + number)".dropFirst()
    }
    static let comments = ["c1", "c2", "c3"]

    var random: SeededGenerator

    /// Returns a number of operations, of which the first may turn on the outbox from the beginning.
    mutating func some(_ count: Int) -> [SocialOperation] {
        (0..<count).map { $0 == 0 && random.chance(60) ? .outbox(true) : next() }
    }

    mutating func next() -> SocialOperation {
        let (one, other, post) = (person(), person(), random.pick(Self.posts))
        switch random.below(126) {
        case 0..<12:
            let mentions = random.chance(40) ? mentions() : []
            return .publish(post: post, author: one, text: random.pick(NaiveWords.texts), mentions: mentions)
        case 12..<42: return .write(writes())
        case 42..<46: return .follow(one, other)
        case 46..<48: return .unfollow(one, other)
        case 48: return .block(one, other)
        case 49: return .unblock(one, other)
        case 50..<54:
            return .like(post: random.chance(90) ? post : random.pick(Self.storyPosts), by: one)
        case 54..<56: return .unlike(post: post, by: one)
        case 56..<60: return .comment(post: post, by: one, mentions: mentions())
        case 60..<63: return .edit(post: post, random.below(3), by: one, mentions: mentions())
        case 63: return .removeComment(post: post, random.below(3), by: one)
        case 64..<67:
            return .profile(one, name: random.pick(NaiveWords.names).name, picture: random.chance(50) ? "/1" : nil)
        case 67: return random.chance(85) ? .deletePerson(one) : .jobs
        case 68..<70: return .announce(by: random.chance(50) ? one : nil, to: random.chance(50) ? [] : [one, other])
        case 70: return .retract(random.below(4))
        case 71: return .readAll(one)
        case 72..<74: return .readUpTo(one, random.below(6))
        case 74..<76: return .read(one, [random.below(4), random.below(8)])
        case 76: return .readRaw(one, random.below(4))
        case 77: return random.chance(70) ? .dropNotification(one, random.below(4)) : .dropNotifications(one)
        case 78..<84: return .feed(one, bounds: random.below(3), limit: 1 + random.below(9))
        case 84..<86: return .jobs
        case 86..<91: return .jobRound
        case 91..<94: return .deliver(failing: random.pick([0, 30, 100]))
        case 94: return .outbox(random.chance(80))
        case 95: return random.chance(30) ? .repair : .jobRound
        case 96: return .restart
        case 97..<113: return .audience(audienceOperation())
        case 113..<119: return .flags(flagOperation())
        case 119..<122: return .privacy(one, random.pick(NaiveSocial.switches), random.chance(55))
        default: return .wait(Int64(random.pick([1, 1000, 3_600_000, 50_000_000, 90_000_000])))
        }
    }

    mutating func person() -> String { random.pick(Self.people) }

    /// Returns the people whom a text mentions; now and then more than are notified.
    private mutating func mentions() -> [String] {
        guard random.chance(95) else { return Array(repeating: person(), count: 19) + [person(), person(), person()] }
        return (0..<random.below(4)).map { _ in person() }
    }

    private mutating func mentionRecords() -> TreeValue {
        NaiveNotifications.records(of: mentions()) ?? .object([:])
    }

    // MARK: Writes of clients of the database

    /// Returns one to four writes, none above another.
    private mutating func writes() -> [NaiveWrite] {
        var writes: [NaiveWrite] = []
        for _ in 0..<random.pick([1, 1, 1, 2, 3, 4]) {
            let more = some().filter { new in !writes.contains { Self.conflict($0.path, new.path) } }
            writes += more
        }
        return writes
    }

    private static func conflict(_ one: String, _ other: String) -> Bool {
        one.overlaps(other)
            || (isOfFlags(one) && isOfFlags(other))
            || (isOfFollows(one) && isOfFollows(other)) || (isOfBlocks(one) && isOfBlocks(other))
    }

    /// Whether a write is about follows. An update has at most one, or both sides of one link: so no update contradicts
    /// itself.
    private static func isOfFollows(_ path: String) -> Bool {
        path.hasPrefix("followers") || path.contains("/following")
            || path.split(separator: "/").count < 3 && path.hasPrefix("people")
    }

    private static func isOfFlags(_ path: String) -> Bool { path.contains("Flags/") }

    private static func isOfBlocks(_ path: String) -> Bool { path.hasPrefix("block") }

    private mutating func some() -> [NaiveWrite] {
        switch random.below(35) {
        case 0..<3: return link("people/*/following/*", "followers/*/*", random.chance(70) ? true : nil)
        case 3: return link("blocking/*/*", "blocked/*/*", random.chance(50) ? true : nil)
        case 4..<8:
            let value: TreeValue? = random.chance(75) ? .integer(Int64(random.below(9))) : nil
            return [NaiveWrite("likes/\(random.pick(Self.posts))/\(person())", value)]
        case 8..<11: return [NaiveWrite(commentPath(), random.chance(80) ? comment() : nil)]
        case 11: return [commentField()]
        case 12..<15: return [postField()]
        case 15: return deletedPost()
        case 16..<18: return [personField()]
        case 18: return [NaiveWrite("people/\(person())", random.chance(25) ? nil : record())]
        case 19: return [NaiveWrite("likes/\(random.pick(Self.posts))", likes())]
        case 20: return [NaiveWrite("comments/\(random.pick(Self.posts))", comments())]
        case 21:
            return [NaiveWrite(random.chance(50) ? "followers/\(person())" : "people/\(person())/following", people())]
        case 22:
            return [NaiveWrite(random.chance(50) ? "blocking/\(person())" : "blocked/\(person())", people(few: true))]
        case 23:
            guard random.chance(50) else { return [NaiveWrite("stats/people/\(person())", ["posts": 5])] }
            return [NaiveWrite("stats/posts/\(random.pick(Self.posts))", ["likes": 77])]
        case 25..<31: return audienceWrites()
        case 31: return [privacyWrite()]
        case 32..<34: return [flagWrite()]
        case 24: return [NaiveWrite("people/\(person())/_search_index", random.chance(50) ? nil : ["full_name": "zz"])]
        default:
            let id = random.pick(["x", "y", "z"])
            return [NaiveWrite("announcements/\(id)", random.chance(70) ? ["text": "news", "timestamp": 5] : nil)]
        }
    }

    /// Returns a write of one side of a link, or of both.
    private mutating func link(_ pattern: String, _ reversed: String, _ value: TreeValue?) -> [NaiveWrite] {
        let keys = [person(), person()]
        let sides = [NaiveTree.fill(pattern, keys), NaiveTree.fill(reversed, keys.reversed())]
        let number = random.below(3)
        guard number < 2 else { return [] + sides.map { NaiveWrite($0, value) } }
        return [NaiveWrite(sides[number], value)]
    }

    private mutating func post() -> TreeValue {
        let author = person()
        return [
            "timestamp": 7, "text": .string(random.pick(NaiveWords.texts)),
            "author": ["uid": .string(author), "full_name": .string(random.chance(50) ? author : "Old")],
            "mentions": random.chance(40) ? mentionRecords() : .object([:]),
        ]
    }

    private mutating func postField() -> NaiveWrite {
        let path = "posts/\(random.pick(Self.posts))"
        switch random.below(9) {
        case 7: return NaiveWrite("\(path)/mentions", random.chance(70) ? mentionRecords() : nil)
        case 8: return NaiveWrite("\(path)/mentions/0/uid", random.chance(70) ? .string(person()) : nil)
        case 0: return NaiveWrite("\(path)/text", random.chance(80) ? .string(random.pick(NaiveWords.texts)) : nil)
        case 1: return NaiveWrite("\(path)/author/uid", random.chance(80) ? .string(person()) : nil)
        case 2: return NaiveWrite(path, nil)
        default: return NaiveWrite(path, post())
        }
    }

    /// Returns a deletion as FriendlyPix's clients perform it.
    private mutating func deletedPost() -> [NaiveWrite] {
        let (post, author) = (random.pick(Self.posts), person())
        return [
            "posts/\(post)", "people/\(author)/posts/\(post)", "hashtags/one/\(post)", "likes/\(post)",
            "comments/\(post)",
        ]
        .map { NaiveWrite($0, nil) }
    }

    private mutating func personField() -> NaiveWrite {
        let path = "people/\(person())"
        guard random.chance(70) else {
            return NaiveWrite("\(path)/profile_picture", random.chance(70) ? .string("/\(random.below(3))") : nil)
        }
        return NaiveWrite("\(path)/full_name", random.chance(80) ? .string(random.pick(NaiveWords.names).name) : nil)
    }

    private mutating func record() -> TreeValue {
        ["full_name": .string(random.pick(NaiveWords.names).name), "bio": "x", "following": people() ?? true]
    }

    private mutating func people(few: Bool = false) -> TreeValue? {
        var people: [TreeKey: TreeValue] = [:]
        for _ in 0..<random.below(few ? 2 : 4) { people[TreeKey(unchecked: person())] = true }
        return people.isEmpty ? nil : .object(people)
    }

    private mutating func likes() -> TreeValue? { people() }

    private mutating func commentPath() -> String {
        "comments/\(random.pick(Self.posts))/\(random.pick(Self.comments))"
    }

    private mutating func comment() -> TreeValue {
        let author = person()
        return [
            "author": ["uid": .string(author), "full_name": .string(author)], "text": .string("t\(random.below(9))"),
            "timestamp": 3, "mentions": mentionRecords(),
        ]
    }

    private mutating func comments() -> TreeValue? {
        guard random.chance(60) else { return nil }
        return ["c1": comment(), "c2": comment()]
    }

    private mutating func commentField() -> NaiveWrite {
        let path = commentPath()
        switch random.below(4) {
        case 0:
            return NaiveWrite(
                "\(path)/mentions/0", random.chance(70) ? ["uid": .string(person()), "start": 0, "length": 1] : nil)
        case 1: return NaiveWrite("\(path)/author/uid", .string(person()))
        case 2: return NaiveWrite("\(path)/mentions", nil)
        default: return NaiveWrite("\(path)/text", .string("t\(random.below(9))"))
        }
    }
}

extension String {
    fileprivate subscript(offset offset: Int) -> Character { self[index(startIndex, offsetBy: offset)] }
}
