import Requests
import Social
import Tree

/// The position of a reader's copy: a token of the change log, and what the reader was allowed to see then. If that has
/// changed, the copy begins anew.
///
/// Its text is opaque to clients, but for its beginning: the token, which is comparable with `Tintype-Token`.
struct SyncCursor: Hashable, CustomStringConvertible {
    /// What the rules let a reader see.
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

    init(token: SyncToken, sight: Sight) { (self.token, self.sight) = (token, sight) }

    /// Reads a cursor: `1042-f`, or a mere token, which stands for a copy with everything; nil if it is neither.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), parts[0].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let sequence = UInt64(parts[0])
        else { return nil }
        var sight = Sight.all
        if parts.count == 2 {
            guard parts[1].utf8.count == 1, let bits = UInt8(parts[1], radix: 16) else { return nil }
            sight = Sight(rawValue: bits)
        }
        self.init(token: SyncToken(sequence: sequence), sight: sight)
    }

    var description: String { "\(token)-\(String(sight.rawValue, radix: 16))" }
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
