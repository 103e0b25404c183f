package import TreeModel

/// The id of an audience: 1 to 128 ASCII letters, digits, `_` and `-`, like ids of people; checked once and trusted
/// from there.
package struct AudienceID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The id as it was given.
    package let description: String
    /// The id as a key of the tree.
    package let key: TreeKey

    /// Checks an id from outside; nil if it is invalid.
    package init?(_ text: String) {
        guard let id = UserID(text) else { return nil }
        (description, key) = (text, id.key)
    }

    package static func < (left: AudienceID, right: AudienceID) -> Bool { left.description < right.description }
}

extension TreeValue {
    /// Returns audiences in the form in which a post names them.
    package static func audiences(_ audiences: [AudienceID]) -> TreeValue {
        .object(Dictionary(audiences.map { ($0.key, true) }) { first, _ in first })
    }
}

extension AudienceID: TextFieldValue {}

extension AudienceID: ListElement {
    package static func list(_ value: TreeValue) -> [AudienceID] {
        PostAudiences.named(by: .object(["audiences": value]))
    }
    package static func value(of list: [AudienceID]) -> TreeValue { .audiences(list) }
}

/// The audiences of one post.
package enum PostAudiences {
    /// The largest number of audiences; each has a copy of the post.
    package static let maxCount = 20

    /// Returns the audiences that a record of a post names, in the order of their ids; the first ones if there are too
    /// many.
    ///
    /// Clients of the database write it, too: invalid ids and values other than `true` are skipped.
    package static func named(by record: TreeValue?) -> [AudienceID] {
        let members = record?["audiences"]?.object ?? [:]
        let named = members.filter { $0.value == true }.keys.compactMap { AudienceID($0.string) }.sorted()
        return Array(named.prefix(maxCount))
    }
}
