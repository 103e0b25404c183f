import API

/// The quotas of users without a quota of their own: the setting `user-quota`.
package struct StandardQuotas: Sendable, Hashable {
    /// The quota of users in no group; nil for no limit.
    private let everybody: Quota?
    private let signedUp: Quota?
    private let anonymous: Quota?

    /// Creates the defaults: 1 GiB for self-made accounts, and 50 MiB for anonymous ones.
    package init() {
        everybody = nil
        signedUp = Quota(1 << 30, for: .signedUp)
        anonymous = Quota(50 << 20, for: .anonymous)
    }

    /// Reads an amount for everybody, such as `5GB` or `none`, and `signed-up=AMOUNT` and `anonymous=AMOUNT` for groups
    /// with a different quota, separated by spaces; nil for any other text.
    package init?(parsing text: String) {
        var amounts: [QuotaScope: UserQuota] = [:]
        for word in text.split(separator: " ") {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let scope: QuotaScope? = parts.count == 1 ? .everybody : QuotaScope(rawValue: parts[0])
            guard let scope, scope != .user, (scope == .everybody) == (parts.count == 1), amounts[scope] == nil,
                let amount = parts.last.flatMap(UserQuota.init), amount != .standard
            else { return nil }
            amounts[scope] = amount
        }
        guard !amounts.isEmpty else { return nil }
        func quota(_ scope: QuotaScope, else other: Quota?) -> Quota? {
            switch amounts[scope] {
            case .bytes(let bytes): Quota(bytes, for: scope)
            case .unlimited: nil
            case .standard, nil: other
            }
        }
        everybody = quota(.everybody, else: nil)
        signedUp = quota(.signedUp, else: everybody)
        anonymous = quota(.anonymous, else: signedUp)
    }

    /// The quota of the users in a group; nil for no limit.
    subscript(group: QuotaScope?) -> Quota? {
        switch group {
        case .signedUp: signedUp
        case .anonymous: anonymous
        case .user, .everybody, nil: everybody
        }
    }
}
