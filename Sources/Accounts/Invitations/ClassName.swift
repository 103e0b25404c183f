import Foundation
import Model
import TreeModel

/// The name of a child in a class, in which it is unique whatever the case of its letters.
package struct ClassName: Hashable, Sendable {
    /// The provider of the identities of people without an address.
    static let provider = "code"
    /// The longest name, in characters and in bytes.
    private static let (maxLength, maxBytes) = (30, 100)

    let audience: AudienceID
    /// The name as it is shown.
    let text: String

    /// Checks a name.
    ///
    /// - Throws: `INVALID_NAME` for a name that is not one visible line of 1 to 30 characters.
    init(_ text: String, in audience: AudienceID) throws(IdentityError) {
        guard let line = PostText.checked(text, maxCharacters: Self.maxLength), !line.isEmpty,
            !line.contains(where: \.isNewline), Self.folded(line).utf8.count <= Self.maxBytes
        else { throw IdentityError("INVALID_NAME : A name has 1 to \(Self.maxLength) characters") }
        (self.audience, self.text) = (audience, line)
    }

    /// The identity of the child: the class, and the name without its case.
    var identity: FederatedIdentity {
        FederatedIdentity(provider: Self.provider, rawID: Self.prefix(of: audience) + Self.folded(text))
    }

    /// Returns the name without its case, and without characters that cannot be seen.
    package static func folded(_ text: String) -> String {
        let visible = text.unicodeScalars.filter { !$0.properties.isDefaultIgnorableCodePoint }
        return String(visible).precomposedStringWithCompatibilityMapping.lowercased()
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// The beginning of the identities of a class. Ids of audiences contain no slash.
    static func prefix(of audience: AudienceID) -> String { "\(audience)/" }
}

/// The pictures of which a child chooses one. They are a weak secret: a stranger who knows the class code and the name
/// finds it in 8 attempts on average, which the throttle stretches to half an hour and more.
package enum ClassPicture: String, Sendable, CaseIterable {
    case anchor, apple, balloon, bell, boat, cloud, drum, fish, flower, house, key, kite, leaf, moon, star, sun

    /// The secret as it is hashed, in place of a password.
    func password(of identity: FederatedIdentity) -> String { "picture:\(identity.rawID):\(rawValue)" }
}

extension Account {
    /// The identity of a person without an address who came in by the code of a class; nil for others. An account that
    /// has an address, or another method of sign-in, belongs to its holder alone.
    func classIdentity(in audience: AudienceID) -> FederatedIdentity? {
        guard email == nil, phoneNumber == nil, passkeys.isEmpty, identities.count == 1 else { return nil }
        return identities.first {
            $0.provider == ClassName.provider && $0.rawID.hasPrefix(ClassName.prefix(of: audience))
        }
    }
}
