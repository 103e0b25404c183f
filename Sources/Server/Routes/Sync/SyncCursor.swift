import Model
import Social
import Tree

/// The position of a reader's copy: a token of the change log, what the reader was allowed to see then, and the oldest
/// announcement among the notifications. If one of the last two has changed, the copy or that part of it is replaced.
///
/// Its text is opaque to clients, but for its beginning: the token, which is comparable with `Tintype-Token`.
struct SyncCursor: Hashable, CustomStringConvertible {
    /// The data that the rules let a reader see.
    struct Sight: OptionSet, Hashable {
        let rawValue: UInt8

        static let posts = Sight(rawValue: 1)
        static let counts = Sight(rawValue: 2)
        static let comments = Sight(rawValue: 4)
        static let likes = Sight(rawValue: 8)
        static let all: Sight = [.posts, .counts, .comments, .likes]
    }

    let token: SyncToken
    let sight: Sight
    let oldestAnnouncement: PostPosition?

    init(token: SyncToken, sight: Sight, oldestAnnouncement: PostPosition?) {
        (self.token, self.sight, self.oldestAnnouncement) = (token, sight, oldestAnnouncement)
    }

    /// Reads a cursor: `1042.f`, or `1042.f.977` with an announcement; or a mere token, which stands for a copy with
    /// everything and without announcements. Nil if it is none of these.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard (1...3).contains(parts.count), let token = PostPosition(cursor: parts[0]), token.number == 0,
            "\(token)" == parts[0]
        else { return nil }
        var sight = Sight.all
        if parts.count > 1 {
            guard parts[1].utf8.count == 1, let bits = UInt8(parts[1], radix: 16) else { return nil }
            sight = Sight(rawValue: bits)
        }
        var oldest: PostPosition?
        if parts.count > 2 {
            oldest = PostPosition(cursor: parts[2])
            guard oldest != nil else { return nil }
        }
        self.init(token: SyncToken(sequence: token.sequence), sight: sight, oldestAnnouncement: oldest)
    }

    var description: String {
        "\(token).\(String(sight.rawValue, radix: 16))" + (oldestAnnouncement.map { ".\($0)" } ?? "")
    }
}

extension ReaderSlice.Sight {
    /// The rights that the sight consists of.
    var cursorSight: SyncCursor.Sight {
        var sight: SyncCursor.Sight = []
        if showsPosts { sight.insert(.posts) }
        if view.showsCounts { sight.insert(.counts) }
        if view.showsComments { sight.insert(.comments) }
        if view.showsLikes { sight.insert(.likes) }
        return sight
    }
}
