import Cryptography
import Foundation
import TreeModel

/// The secret code of an invitation, in one of two forms: that of a link, with 144 random bits, and a short one that
/// people read from a board and type, with nearly 40.
package struct InvitationCode: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The longest text that is read, in bytes: a link in an address.
    static let maxTextBytes = 2048
    /// The number of characters of a short code.
    private static let shortLength = 8
    /// The characters of short codes: digits and capital letters without 0, 1, I, L and O, which look alike.
    private static let shortAlphabet = Array("23456789ABCDEFGHJKMNPQRSTUVWXYZ".utf8)
    /// The number of random bytes of a link's code, and of the characters that they become.
    private static let (linkByteCount, linkLength) = (18, 24)

    /// The code in its canonical form: a short one in capitals, without a hyphen.
    let text: String
    /// Whether it is a short one, which can be guessed by many attempts.
    let isShort: Bool

    private init(canonical text: String, isShort: Bool) { (self.text, self.isShort) = (text, isShort) }

    /// Creates a code.
    ///
    /// - Throws: `KeyError` if the system has no randomness.
    static func make(isShort: Bool) throws(KeyError) -> InvitationCode {
        guard isShort else {
            return InvitationCode(canonical: try RandomText.make(bytes: linkByteCount), isShort: false)
        }
        var characters: [UInt8] = []
        // A byte above the last multiple of the alphabet's size would make its first characters more frequent.
        let limit = 256 / shortAlphabet.count * shortAlphabet.count
        while characters.count < shortLength {
            for byte in try RandomText.bytes(2 * shortLength) where Int(byte) < limit && characters.count < shortLength
            {
                characters.append(shortAlphabet[Int(byte) % shortAlphabet.count])
            }
        }
        return InvitationCode(canonical: String(decoding: characters, as: UTF8.self), isShort: true)
    }

    /// Parses a code that a person sent, or the link that contains it.
    ///
    /// - Parameter origin: The origin of this service, such as `https://photos.example`; nil if it has none.
    /// - Throws: `INVITATION_NOT_FOUND` for a text that cannot be a code, `INVITATION_OF_ANOTHER_SERVICE` for a link of
    ///   another origin.
    init(parsing text: String, at origin: String?) throws(IdentityError) {
        guard text.utf8.count <= Self.maxTextBytes else { throw .invitationNotFound }
        var code = text.trimmingCharacters(in: .whitespacesAndNewlines)
        if code.contains("://") {
            guard let url = URLComponents(string: code), let scheme = url.scheme?.lowercased(), let host = url.host
            else {
                throw .invitationNotFound
            }
            let port = url.port.map { ":\($0)" } ?? ""
            if let origin, origin != "\(scheme)://\(host.lowercased())\(port)" { throw .invitationElsewhere }
            code = url.fragment ?? url.path.split(separator: "/").last.map(String.init) ?? ""
        }
        if code.utf8.count == Self.linkLength, Base64URL.decode(code.utf8[...]) != nil {
            self.init(canonical: code, isShort: false)
            return
        }
        let short = code.uppercased().filter { $0 != "-" && $0 != " " }
        guard short.utf8.count == Self.shortLength, short.utf8.allSatisfy(Self.shortAlphabet.contains) else {
            throw .invitationNotFound
        }
        self.init(canonical: short, isShort: true)
    }

    /// The code as people see it: `K7QM-2XRT`.
    package var shown: String {
        isShort ? "\(text.prefix(Self.shortLength / 2))-\(text.suffix(Self.shortLength / 2))" : text
    }

    /// The hash by which the invitation is found.
    var hash: TreeKey { AccountPaths.hash("invitation:\(text)") }

    package var description: String { "[hidden]" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension IdentityError {
    static let invitationNotFound = IdentityError("INVITATION_NOT_FOUND")
    static let invitationElsewhere = IdentityError("INVITATION_OF_ANOTHER_SERVICE")
    static let invitationWithdrawn = IdentityError("INVITATION_WITHDRAWN")
    static let invitationExpired = IdentityError("INVITATION_EXPIRED")
    static let invitationUsedUp = IdentityError("INVITATION_USED_UP")
    static let invitationOfAnotherAddress = IdentityError("INVITATION_OF_ANOTHER_ADDRESS")
    static let invitationWithoutAddress = IdentityError("INVITATION_WITHOUT_ADDRESS")
    static let tooManyInvitations = IdentityError("TOO_MANY_INVITATIONS")
    static let notOwner = IdentityError("NOT_OWNER", status: 403)
    /// The refusal of an account without an invitation, in a form that Firebase's SDKs know.
    static let invitationRequired = IdentityError("OPERATION_NOT_ALLOWED : An invitation is required")
}
