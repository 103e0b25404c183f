package import TreeModel

/// The id of an audience: made as ids of people are, 1 to 128 ASCII letters, digits, `_` and `-`, checked once and trusted
/// from there.
package struct AudienceID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The id as it was given.
    package let description: String
    /// The id as a key of the tree.
    package let key: TreeKey

    /// Checks an id that came from outside; nil when it is none.
    package init?(_ text: String) {
        guard let id = UserID(text) else { return nil }
        (description, key) = (text, id.key)
    }

    package static func < (left: AudienceID, right: AudienceID) -> Bool { left.description < right.description }
}

extension TreeValue {
    /// Audiences, as a post for them names them.
    package static func audiences(_ audiences: [AudienceID]) -> TreeValue {
        .object(Dictionary(audiences.map { ($0.key, true) }) { first, _ in first })
    }
}

extension AudienceID: ListElement {
    package static func list(_ value: TreeValue) -> [AudienceID] {
        PostAudiences.named(by: .object(["audiences": value]))
    }
    package static func value(of list: [AudienceID]) -> TreeValue { .audiences(list) }
}

/// The audiences of one post.
package enum PostAudiences {
    /// At most this many: each has a copy of the post.
    package static let maxCount = 20

    /// The audiences that a record of a post for audiences names, in the order of their ids; of too many the first ones.
    ///
    /// Clients of the database write it, too: what is no id, or not `true`, is none.
    package static func named(by record: TreeValue?) -> [AudienceID] {
        let members = record?["audiences"]?.object ?? [:]
        let named = members.filter { $0.value == true }.keys.compactMap { AudienceID($0.string) }.sorted()
        return Array(named.prefix(maxCount))
    }
}
