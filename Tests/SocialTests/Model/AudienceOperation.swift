import TestSupport
import TreeModel

/// An operation of a person on audiences by a route, or of an admin for nil.
enum AudienceOperation: Sendable {
    /// A post as the pipeline publishes it.
    case publish(post: String, by: String, for: [String], text: String)
    /// Creates an audience, or replaces its data; without members the existing ones stay.
    case put(String, members: [String: String]?, by: String?)
    case change(String, members: [String: String]?, by: String?)
    case setMember(String, of: String, to: String, by: String?)
    case removeMember(String, of: String, by: String?)
    case remove(String, by: String?)
    case removePost(String, from: String, by: String?)
}

extension SocialOperations {
    static let audiences = ["class", "group", "school"]
    /// Posts for audiences; the last one may be a post for everybody, too.
    static let storyPosts =
        (0..<7).map { number in "-Q\(String(repeating: "y", count: 16))\(30 + number * 5 % 7)" } + [posts[0]]
    private static let roles = ["owner", "poster", "poster", "reader"]

    mutating func audienceOperation() -> AudienceOperation {
        let (audience, uid, post) = (random.pick(Self.audiences), person(), random.pick(Self.storyPosts))
        let actor = random.chance(25) ? nil : person()
        switch random.below(20) {
        case 0..<7:
            let audiences = Self.audiences.filter { _ in random.chance(50) }
            return .publish(
                post: post, by: uid, for: audiences.isEmpty ? [audience] : audiences,
                text: random.pick(NaiveWords.texts))
        case 7..<11: return .put(audience, members: random.chance(70) ? members() : nil, by: actor)
        case 11: return .change(audience, members: random.chance(50) ? members() : nil, by: actor)
        case 12..<15: return .setMember(uid, of: audience, to: random.pick(Self.roles), by: actor)
        case 15..<17: return .removeMember(uid, of: audience, by: random.chance(40) ? uid : actor)
        case 17: return .remove(audience, by: actor)
        default: return .removePost(post, from: audience, by: random.chance(40) ? uid : actor)
        }
    }

    private mutating func members() -> [String: String] {
        var members: [String: String] = [:]
        for _ in 0..<1 + random.below(3) { members[person()] = random.pick(Self.roles) }
        return members
    }

    /// Returns a database client's writes to audiences and their posts; now and then several posts at once.
    mutating func audienceWrites() -> [NaiveWrite] {
        guard random.chance(12) else { return [audienceWrite()] }
        let first = random.below(Self.storyPosts.count - 1)
        return Self.storyPosts[first...(first + 1)].map { NaiveWrite("audience_posts/\($0)", storyPost()) }
    }

    private mutating func audienceWrite() -> NaiveWrite {
        let (audience, uid, post) = (random.pick(Self.audiences), person(), random.pick(Self.storyPosts))
        let role = TreeValue.string(random.pick(Self.roles))
        switch random.below(21) {
        case 0..<3: return NaiveWrite("audiences/\(audience)/members/\(uid)", random.chance(70) ? role : nil)
        case 3: return NaiveWrite("audiences/\(audience)/members/\(uid)", random.chance(50) ? "boss" : ["x": 1])
        case 4: return NaiveWrite("audiences/\(audience)/members", random.chance(70) ? roster() : nil)
        case 5..<7:
            let record: TreeValue = ["name": "7b", "kind": "class", "members": roster()]
            return NaiveWrite("audiences/\(audience)", random.chance(65) ? record : nil)
        case 7: return NaiveWrite("audiences/\(audience)/name", random.chance(50) ? "8a" : nil)
        case 8..<12: return NaiveWrite("audience_posts/\(post)", random.chance(85) ? storyPost() : nil)
        case 12..<15:
            let value: TreeValue? = random.chance(50) ? true : random.chance(70) ? nil : false
            return NaiveWrite("audience_posts/\(post)/audiences/\(audience)", value)
        case 15: return NaiveWrite("audience_posts/\(post)/audiences", random.chance(60) ? named() : nil)
        case 16: return NaiveWrite("audience_posts/\(post)/text", .string(random.pick(NaiveWords.texts)))
        case 17: return NaiveWrite("audience_posts/\(post)/author/uid", random.chance(80) ? .string(uid) : nil)
        case 18: return NaiveWrite("stories/\(audience)/\(post)", random.chance(50) ? storyPost() : nil)
        case 19: return NaiveWrite(random.chance(50) ? "stories/\(audience)" : "memberships/\(uid)", nil)
        default: return NaiveWrite("memberships/\(uid)/\(audience)", random.chance(70) ? role : nil)
        }
    }

    private mutating func roster() -> TreeValue {
        .object(Dictionary(members().map { (TreeKey(unchecked: $0.key), .string($0.value)) }) { first, _ in first })
    }

    /// Returns audiences as posts name them; now and then more than are accepted.
    private mutating func named() -> TreeValue {
        var named: [TreeKey: TreeValue] = [:]
        for audience in Self.audiences where random.chance(60) {
            named[TreeKey(unchecked: audience)] = random.chance(85) ? true : "yes"
        }
        if random.chance(5) {
            for number in 10..<30 { named[TreeKey(unchecked: "d\(number)")] = true }
        }
        return .object(named)
    }

    private mutating func storyPost() -> TreeValue {
        var fields: [TreeKey: TreeValue] = ["text": .string(random.pick(NaiveWords.texts)), "audiences": named()]
        if random.chance(90) { fields["timestamp"] = 7 }
        if random.chance(90) {
            let author = person()
            fields["author"] = ["uid": .string(author), "full_name": .string(random.chance(50) ? author : "Old")]
        }
        return .object(fields)
    }
}
