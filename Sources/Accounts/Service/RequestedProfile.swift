/// The name, picture and telephone number in a request.
struct RequestedProfile: Sendable {
    /// The longest name, in bytes.
    private static let maxNameBytes = 1024
    /// The longest URL of a picture, in bytes.
    private static let maxPhotoBytes = 2048

    let displayName: String?
    let photoURL: String?
    let phoneNumber: String?

    /// - Throws: `INVALID_ARGUMENT` or `INVALID_PHONE_NUMBER`.
    init(in request: IdentityRequest) throws(IdentityError) {
        displayName = try request.string("displayName", maxBytes: Self.maxNameBytes)
        photoURL = try request.string("photoUrl", maxBytes: Self.maxPhotoBytes)
        phoneNumber = try request.string("phoneNumber")
        // E.164: a plus sign, and at most 15 digits.
        guard phoneNumber.map({ Self.isPhoneNumber($0.utf8) }) ?? true else {
            throw IdentityError("INVALID_PHONE_NUMBER : Invalid format.")
        }
    }

    private static func isPhoneNumber(_ text: String.UTF8View) -> Bool {
        text.first == UInt8(ascii: "+") && (5...16).contains(text.count)
            && text.dropFirst().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// Applies the requested values; an empty text deletes the old value.
    func apply(to account: inout Account) {
        if let displayName { account.displayName = displayName.isEmpty ? nil : displayName }
        if let photoURL { account.photoURL = photoURL.isEmpty ? nil : photoURL }
        if let phoneNumber { account.phoneNumber = phoneNumber }
    }
}
