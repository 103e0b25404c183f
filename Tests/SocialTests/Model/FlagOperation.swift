import TestSupport
import TreeModel

/// An operation of a person on flags by a route. A comment is given by its position among the post's; none is the post.
enum FlagOperation: Sendable {
    case flag(post: String, comment: Int?, by: String)
    case unflag(post: String, comment: Int?, by: String)
    case dismiss(post: String, comment: Int?)
}

extension SocialOperations {
    mutating func flagOperation() -> FlagOperation {
        let (post, comment) = (random.pick(Self.posts), random.chance(50) ? nil : random.below(3))
        switch random.below(8) {
        case 0..<5: return .flag(post: post, comment: comment, by: person())
        case 5: return .unflag(post: post, comment: comment, by: person())
        default: return .dismiss(post: post, comment: comment)
        }
    }

    /// Returns a database client's write to flags.
    mutating func flagWrite() -> NaiveWrite {
        let (post, comment) = (random.pick(Self.posts), random.pick(Self.comments))
        let list = random.chance(50) ? "postFlags/\(post)" : "commentFlags/\(post)/\(comment)"
        guard random.chance(85) else { return NaiveWrite(random.chance(70) ? list : "commentFlags/\(post)", nil) }
        return NaiveWrite("\(list)/\(person())", random.chance(70) ? true : nil)
    }

    /// Returns a write to a person's consents.
    mutating func privacyWrite() -> NaiveWrite {
        guard random.chance(80) else { return NaiveWrite("privacy/\(person())", nil) }
        let value: TreeValue? = random.chance(40) ? false : random.chance(70) ? true : nil
        return NaiveWrite("privacy/\(person())/\(random.pick(NaiveSocial.switches))", value)
    }
}
