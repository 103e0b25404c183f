import TintypeModel

/// Something on which views and writes depend: an entity or a list. Its text is a key of records.
struct Subject: Hashable, Sendable, Codable {
    private(set) var key: String

    private init(_ kind: String, _ parts: String...) {
        key = ([kind] + parts.map(Self.escaped)).joined(separator: "/")
    }

    private init(_ kind: String, _ parts: some Collection<String>) {
        key = ([kind] + parts.map(Self.escaped)).joined(separator: "/")
    }

    static func post(_ id: Post.ID) -> Subject { Subject("post", id.rawValue) }
    static func comment(_ id: Comment.ID, on post: Post.ID) -> Subject {
        Subject("comment", post.rawValue, id.rawValue)
    }
    /// The list of the comments on a post.
    static func comments(on post: Post.ID) -> Subject { Subject("comments", post.rawValue) }
    static func person(_ id: Person.ID) -> Subject { Subject("person", id.rawValue) }
    static func notification(_ id: SocialNotification.ID) -> Subject { Subject("notification", id.rawValue) }
    static func audience(_ id: Audience.ID) -> Subject { Subject("audience", id.rawValue) }
    static func upload(_ id: Upload.ID) -> Subject { Subject("upload", id.rawValue) }
    static func list(_ name: ListName) -> Subject { Subject("list", name.rawValue) }
    /// A node of the tree.
    static func node(_ path: String) -> Subject { node(path.split(separator: "/").map(String.init)) }
    static func node(_ keys: some Collection<String>) -> Subject { Subject("tree", keys) }
    /// Whatever is written below a node of the tree.
    static func below(_ keys: some Collection<String>) -> Subject { Subject("below", keys) }
    /// A part of the tree that the device keeps.
    static func tree(_ keys: some Collection<String>, query: String) -> Subject {
        var subject = Subject("nodes", keys)
        subject.key += "//" + escaped(query)
        return subject
    }
    /// The subject of a record by its key.
    static func record(_ key: String) -> Subject {
        var subject = outbox
        subject.key = key
        return subject
    }
    /// The things that open views show.
    static let interests = Subject("interests")
    /// All writes of a person that wait or were refused.
    static let outbox = Subject("outbox")
    /// The person who is signed in.
    static let account = Subject("account")
    /// The name and the text of the person who is signed in.
    static let profile = Subject("profile")
    /// The connection to the service.
    static let connection = Subject("connection")
    /// The wish that a wait ends.
    static let attempt = Subject("attempt")
    /// The end of `run(adoptingPostsFrom:)`.
    static let run = Subject("run")
    /// A part of a list that a view shows.
    static func window(_ id: Int) -> Subject { Subject("window", String(id)) }
    static func write(_ number: Int64) -> Subject { Subject("write", String(number)) }

    /// The path of a node or a part of the tree, in its escaped form with a slash before each key; nil for other subjects.
    private var treePath: Substring? {
        guard let end = key.firstIndex(of: "/") else { return key == "tree" ? "" : nil }
        switch key[..<end] {
        case "tree": return key[end...]
        // An empty key separates the path from the query.
        case "nodes": return key.firstRange(of: "//").map { key[end..<$0.lowerBound] }
        default: return nil
        }
    }

    /// Whether two subjects are the same, or places of the tree one of which contains the other.
    func overlaps(_ other: Subject) -> Bool {
        if self == other { return true }
        guard let own = treePath, let path = other.treePath else { return false }
        return "\(own)/".hasPrefix("\(path)/") || "\(path)/".hasPrefix("\(own)/")
    }

    /// Returns a text in printable ASCII without slashes, different for each text, so that a prefix of keys selects
    /// what it is meant to.
    static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: { !isPlain($0) }) else { return text }
        var result = ""
        for byte in text.utf8 {
            if isPlain(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                result += byte < 16 ? "%0" + String(byte, radix: 16) : "%" + String(byte, radix: 16)
            }
        }
        return result
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "/") && byte != UInt8(ascii: "%")
    }
}

/// The name of a list of entities on the device.
struct ListName: RawRepresentable, Hashable, Sendable {
    let rawValue: String

    init(rawValue: String) { self.rawValue = rawValue }

    /// The home feed.
    static let feed = ListName(rawValue: "feed")
    /// The posts of the person's audiences.
    static let stories = ListName(rawValue: "stories")
    static let notifications = ListName(rawValue: "notifications")
    static let audiences = ListName(rawValue: "audiences")
    static let uploads = ListName(rawValue: "uploads")
    /// The parts of the tree that the device keeps, by the time at which they were shown.
    static let trees = ListName(rawValue: "trees")

    static func comments(on post: Post.ID) -> ListName { ListName(rawValue: "comments:\(post)") }
    static func posts(by person: Person.ID) -> ListName { ListName(rawValue: "posts:\(person)") }
    static func posts(withHashtag tag: String) -> ListName { ListName(rawValue: "tag:\(tag)") }
    /// The person whose posts the list has; nil for another list.
    var person: Person.ID? { rest(after: "posts:").map { Person.ID($0) } }
    /// The hashtag whose posts the list has; nil for another list.
    var hashtag: String? { rest(after: "tag:") }
    /// Whether synchronisation keeps the list up to date.
    var isSynchronised: Bool { person == nil && hashtag == nil }

    private func rest(after prefix: String) -> String? {
        rawValue.hasPrefix(prefix) ? String(rawValue.dropFirst(prefix.count)) : nil
    }

    /// The posts of one author in another list.
    func posts(by author: Person.ID) -> ListName { ListName(rawValue: "\(rawValue):by:\(author)") }
}
