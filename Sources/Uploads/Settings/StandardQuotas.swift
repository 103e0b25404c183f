import API

/// The quotas of users for whom no admin has chosen one: the setting `user-quota`.
package struct StandardQuotas: Sendable, Hashable {
    /// The quota of all who are in no group; nil for no limit.
    private let everybody: Quota?
    private let signedUp: Quota?
    private let anonymous: Quota?

    /// A GiB for those who made their accounts themselves, 50 MiB for those of them of whom nothing says who they are.
    package init() {
        everybody = nil
        signedUp = Quota(1 << 30, for: .signedUp)
        anonymous = Quota(50 << 20, for: .anonymous)
    }

    /// Reads an amount for everybody, such as `5GB` or `none`, and `signed-up=AMOUNT` and `anonymous=AMOUNT` for the groups whose
    /// quota is another one, separated by spaces; nil for anything else.
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

    /// The quota of a user of a group; nil for no limit.
    subscript(group: QuotaScope?) -> Quota? {
        switch group {
        case .signedUp: signedUp
        case .anonymous: anonymous
        case .user, .everybody, nil: everybody
        }
    }
}
