package import TreeModel

/// The claims about the author in a token (OpenID Connect Core 1.0 §5.1, `name` and `picture`).
package struct OwnerClaims: Sendable, Hashable {
    /// The largest length of either claim, in characters.
    private static let maxLength = 1000

    package let name: String
    package let picture: String?
}

extension OwnerClaims {
    /// Creates the claims, dropping those that are too long; nil without a name.
    package init?(claimed name: String?, picture: String?) {
        guard let name, !name.isEmpty, name.count <= Self.maxLength else { return nil }
        self.init(name: name, picture: picture.flatMap { $0.count <= Self.maxLength ? $0 : nil })
    }
}

extension OwnerClaims: TreeRecord {
    package static let form = RecordForm(Self.init(name:picture:), .init("name", \.name), .init("picture", \.picture))
}
