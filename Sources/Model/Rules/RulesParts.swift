/// The parts in which the rules of the presets differ. Everything else is the same in all of them.
///
/// A part is text of the rules. Most are a line with `.read` that follows the beginning of a node, or nothing.
struct RulesParts {
    /// The comment on profiles.
    var profiles = "Profiles, each written by its person."
    /// A rule of the root beside those for admins.
    var check = ""
    /// The end of a condition that the requester is somebody: that the account is a member's.
    var member = ""
    /// The reads of `people`, of a person, and of a person's name.
    var (people, person, name) = ("", "", "")
    /// The reads of `posts`, and of a post.
    var (posts, post) = ("", "")
    /// The end of a condition about a post: that it exists, or that the requester sees it.
    var isSeen = ".exists()"
    /// The reads of `comments` and of `likes`, and of those of a post.
    var (reactions, reaction) = ("", "")
    /// The reads of `followers`, and of the followers of a person.
    var (followers, followed) = ("", "")
    /// The rules of what the service alone writes.
    var (hashtags, stats, announcements) = ("", "", "")

    /// The condition of the storage rules for renditions, and for objects of the bucket; empty for none.
    var (rendition, object) = ("", "")
    /// The functions of the storage rules.
    var functions = ""
    /// The condition of the storage rules that the requester is the owner.
    var owner = "request.auth.uid == uid"
}

extension RulesParts {
    /// The database rules.
    var database: String { filled(Self.databaseText) }

    /// The storage rules.
    var storage: String { filled(Self.storageText) }

    /// Returns a text with the parts in place of their names, which stand between percent signs.
    private func filled(_ text: String) -> String {
        let parts = [
            "announcements": announcements,
            "check": check,
            "followed": followed,
            "followers": followers,
            "functions": functions,
            "hashtags": hashtags,
            "isSeen": isSeen,
            "member": member,
            "name": name,
            "object": object,
            "owner": owner,
            "people": people,
            "person": person,
            "post": post,
            "posts": posts,
            "profiles": profiles,
            "reaction": reaction,
            "reactions": reactions,
            "rendition": rendition,
            "stats": stats,
        ]
        return parts.reduce(text) { $0.replacing("%\($1.key)%", with: $1.value) }
    }

    /// Returns a line with `.read` below a node that is this deep in the rules.
    private static func read(_ rule: String, _ depth: Int) -> String {
        "\n\(String(repeating: "  ", count: depth))\".read\": \(rule),"
    }

    // MARK: The presets

    static let `public`: RulesParts = {
        var parts = RulesParts()
        parts.profiles = "Public profiles, each written by its person. Everybody can read all of it."
        parts.open(to: "true")
        return parts
    }()

    static let members: RulesParts = {
        var parts = RulesParts()
        parts.admitMembersOnly()
        parts.profiles = "Profiles, each written by its person. Every member can read all of it."
        parts.open(to: "\"\(accounts)\"")
        (parts.rendition, parts.object) = (": if isMember()", ": if isMember()")
        return parts
    }()

    static let classroom: RulesParts = {
        var parts = RulesParts()
        parts.admitMembersOnly()
        parts.profiles =
            "Profiles, each written by its person. A member can read the names of people whose ids they know."
        parts.person = read("\"auth.uid === $uid\(parts.member)\"", 4)
        parts.name = " \".read\": \"\(accounts)\","
        // Posts that are for no audience. The condition about the query lets their author list them.
        parts.posts = read("\"\(accounts) && query.orderByChild === 'author/uid' && query.equalTo === auth.uid\"", 3)
        parts.isSeen = ".child('author/uid').val() === auth.uid"
        parts.post = read("\"\(accounts) && data\(parts.isSeen)\"", 4)
        let isOfOwnPost = "\"\(accounts) && root.child('posts').child($post)\(parts.isSeen)\""
        parts.reaction = read(isOfOwnPost, 4)
        parts.followed = read("\"auth.uid === $followed\(parts.member)\"", 4)
        parts.hashtags = "\".read\": false"
        parts.stats = """
            "posts": { "$post": { ".read": \(isOfOwnPost) } }, \
            "people": { "$uid": { ".read": "auth.uid === $uid\(parts.member)" } }
            """
        parts.announcements = "\".read\": \"\(accounts)\""
        (parts.rendition, parts.object) = (": if isAdmin() || isOwner(uid)", ": if isAdmin() || isOwner(uid)")
        return parts
    }()

    /// The condition that the requester has an account, and not an anonymous one.
    private static let accounts = "auth !== null\(notAnonymous)"
    private static let notAnonymous = " && auth.provider !== 'anonymous'"

    /// Lets everybody who meets a condition read what is not personal.
    private mutating func open(to rule: String) {
        people = Self.read(rule, 3)
        posts = Self.read(rule, 3)
        reactions = Self.read(rule, 3)
        followers = Self.read(rule, 3)
        hashtags = "\".read\": \(rule)"
        stats = hashtags
        announcements = hashtags
    }

    /// Lets anonymous accounts read, write and delete nothing.
    private mutating func admitMembersOnly() {
        member = Self.notAnonymous
        check = """

                // Anonymous accounts write nothing.
                ".validate": "auth.provider !== 'anonymous'",
            """
        functions = """

            // A user with an account that is not anonymous.
            function isMember() {
              return request.auth != null
                && !('firebase' in request.auth.token && request.auth.token.firebase.sign_in_provider == 'anonymous');
            }

            // The member to whom a file belongs.
            function isOwner(uid) {
              return isMember() && request.auth.uid == uid;
            }

            """
        owner = "isOwner(uid)"
    }
}
