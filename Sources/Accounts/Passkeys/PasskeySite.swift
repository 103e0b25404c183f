/// The site for which passkeys are made and used, which WebAuthn calls the relying party.
struct PasskeySite: Hashable, Sendable {
    /// The host, such as `photos.example`. Passkeys belong to it for good.
    let id: String
    /// The public origin of the service; nil if it has none.
    private let origin: String?

    private static let localhost = "localhost"

    /// Determines the site by the public address of the service. Without one, the service can only be `localhost`, as the
    /// caller names it.
    ///
    /// - Throws: `OPERATION_NOT_ALLOWED`.
    init(_ settings: IdentitySettings, for caller: IdentityCaller) throws(IdentityError) {
        let origin = settings.origin
        let authority = (origin ?? caller.authority ?? "").split(separator: "/").last ?? ""
        let parts = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let host = parts.first?.lowercased() ?? ""
        let isAllowed = host == Self.localhost || origin?.hasPrefix("https://") == true && Self.isName(host)
        guard isAllowed else {
            throw IdentityError(
                "OPERATION_NOT_ALLOWED : Passkeys need a public address. "
                    + "Set public-url to https:// and the name of the host.")
        }
        id = host
        self.origin = origin
    }

    /// Whether a host is a name, for which passkeys can be made, and not an address of an IP network.
    private static func isName(_ host: String) -> Bool {
        let labels = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isNumber = labels.last?.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? true
        return !isNumber && !labels.contains(where: \.isEmpty) && !host.utf8.contains(UInt8(ascii: "["))
    }

    /// Whether an app or a page of an origin may use passkeys of the site.
    func isOrigin(_ text: String) -> Bool {
        if text == "https://\(id)" || text == origin { return true }
        guard id == Self.localhost else { return false }
        let authority = text.dropFirst(text.hasPrefix("https://") ? "https://".count : "http://".count)
        guard text.hasPrefix("https://") || text.hasPrefix("http://"), authority.hasPrefix(id) else { return false }
        let port = authority.dropFirst(id.count)
        return port.isEmpty || port.first == ":" && UInt16(port.dropFirst()) != nil
    }
}
