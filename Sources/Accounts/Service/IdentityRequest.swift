import Access
import TreeModel

/// The caller of an account operation.
package struct IdentityCaller: Hashable, Sendable {
    /// Whether the caller is the owner of the service, who may do everything.
    package let isAdmin: Bool
    /// The identity of the caller for throttling: the network address; of IPv6, its first 64 bits.
    package let address: String
    /// The host and the port to which the request was sent, as the caller names them; nil if they are not known.
    package let authority: String?

    package init(isAdmin: Bool = false, address: String, authority: String? = nil) {
        self.isAdmin = isAdmin
        self.address = address
        self.authority = authority
    }
}

/// The body of a request with its caller; each field is checked when it is read.
struct IdentityRequest: Sendable {
    /// The longest text of a field, in bytes, unless specified otherwise.
    static let maxTextBytes = 4096

    let body: JSONValue
    let caller: IdentityCaller
    /// The key by which a repeated request is recognised, as it was sent; nil for none.
    let idempotencyKey: String?

    /// - Parameter body: The body; a field that is null counts as absent.
    init(body: JSONValue, caller: IdentityCaller, idempotencyKey: String? = nil) {
        self.body = body.members.map { .object($0.filter { $0.value != .null }) } ?? body
        self.caller = caller
        self.idempotencyKey = idempotencyKey
    }

    /// Returns a text; nil when it is absent.
    ///
    /// - Throws: `INVALID_ARGUMENT` for a value of another type, or a text that is too long.
    func string(_ name: String, maxBytes: Int = maxTextBytes) throws(IdentityError) -> String? {
        switch body[name] {
        case nil: return nil
        case .string(let text) where text.utf8.count <= maxBytes: return text
        default: throw .invalidValue(name)
        }
    }

    /// Returns a required text that is not empty.
    ///
    /// - Parameter code: The suffix of the error for a missing field, as in Firebase.
    /// - Throws: `MISSING_…`, or what ``string(_:maxBytes:)`` throws.
    func string(_ name: String, missing code: String, maxBytes: Int = maxTextBytes) throws(IdentityError) -> String {
        guard let text = try string(name, maxBytes: maxBytes), !text.isEmpty else { throw .missing(code) }
        return text
    }

    /// Returns a required text under one of two names; it must not be empty.
    ///
    /// - Throws: `MISSING_…`, or what ``string(_:maxBytes:)`` throws.
    func string(_ name: String, or other: String, missing code: String) throws(IdentityError) -> String {
        let name = body[name] == nil ? other : name
        return try string(name, missing: code)
    }

    /// Returns a Boolean value; nil when it is absent.
    func bool(_ name: String) throws(IdentityError) -> Bool? {
        switch body[name] {
        case nil: return nil
        case .bool(let bool): return bool
        default: throw .invalidValue(name)
        }
    }

    /// Returns an integer of at least 0, also from a text, as the protocol encodes 64-bit integers; nil when it is
    /// absent.
    func integer(_ name: String) throws(IdentityError) -> Int64? {
        let value: Int64? =
            switch body[name] {
            case nil: nil
            case .string(let text): Int64(text) ?? -1
            case let number?: number.integer.map(Int64.init) ?? -1
            }
        // The end of the year 9999 in milliseconds; sums of times cannot overflow.
        guard value.map({ (0...253_402_300_799_999).contains($0) }) ?? true else { throw .invalidValue(name) }
        return value
    }

    /// Returns a time, in milliseconds since the epoch; nil when it is absent.
    func moment(_ name: String) throws(IdentityError) -> Timestamp? {
        try integer(name).map(Timestamp.init(milliseconds:))
    }

    /// Returns a list of texts; empty when it is absent.
    func strings(_ name: String, maxCount: Int = 1000) throws(IdentityError) -> [String] {
        try list(name, maxCount: maxCount).map { (element) throws(IdentityError) in
            guard let text = element.string, text.utf8.count <= Self.maxTextBytes else { throw .invalidValue(name) }
            return text
        }
    }

    /// Returns a list of objects, each with the caller; empty when it is absent.
    func objects(_ name: String, maxCount: Int = 1000) throws(IdentityError) -> [IdentityRequest] {
        try list(name, maxCount: maxCount).map { (element) throws(IdentityError) in
            guard element.members != nil else { throw .invalidValue(name) }
            return IdentityRequest(body: element, caller: caller)
        }
    }

    private func list(_ name: String, maxCount: Int) throws(IdentityError) -> [JSONValue] {
        switch body[name] {
        case nil: return []
        case .list(let list) where list.count <= maxCount: return list
        default: throw .invalidValue(name)
        }
    }

    /// Returns an e-mail address; nil when it is absent or empty.
    ///
    /// - Throws: `INVALID_EMAIL`.
    func email(_ name: String = "email") throws(IdentityError) -> EmailAddress? {
        guard let text = try string(name), !text.isEmpty else { return nil }
        guard let email = EmailAddress(text) else { throw .invalidEmail }
        return email
    }

    /// Returns a required e-mail address.
    ///
    /// - Throws: `MISSING_EMAIL` or `INVALID_EMAIL`.
    func email(_ name: String = "email", missing code: String) throws(IdentityError) -> EmailAddress {
        guard let email = try email(name) else { throw .missing(code) }
        return email
    }
}
