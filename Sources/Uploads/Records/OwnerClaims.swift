import TreeModel

/// What a token claims of whoever posts (OpenID Connect Core 1.0 §5.1, `name` and `picture`).
package struct OwnerClaims: Sendable, Hashable {
    /// The longest of either, in characters.
    private static let maxLength = 1000

    package let name: String
    package let picture: String?

    /// Takes over what is claimed, as long as it is not too long; nil without a name.
    package init?(name: String?, picture: String?) {
        guard let name, !name.isEmpty, name.count <= Self.maxLength else { return nil }
        self.name = name
        self.picture = picture.flatMap { $0.count <= Self.maxLength ? $0 : nil }
    }

    init?(_ value: TreeValue) {
        self.init(name: value["name"]?.stringValue, picture: value["picture"]?.stringValue)
    }

    var value: TreeValue {
        var fields: [TreeKey: TreeValue] = ["name": .string(name)]
        fields["picture"] = picture.map(TreeValue.string)
        return .object(fields)
    }
}
