import API
import Accounts
import Keeping

extension TreeInvariant {
    /// The invariants of the accounts' tree, for store checks.
    static let ofAccounts = AccountInvariant.all.map { TreeInvariant($0) }

    private init(_ rule: AccountInvariant) {
        switch rule.check {
        case .mend(let writes): self.init(rule.kind.finding, at: rule.place, mend: writes)
        case .report(let complaint): self.init(rule.kind.finding, at: rule.place, report: complaint)
        }
    }
}

extension AccountInvariant.Kind {
    fileprivate var finding: FindingKind {
        switch self {
        case .unreadable: .accountUnreadable
        case .twice: .accountTwice
        case .unlisted: .accountUnlisted
        case .dangling: .entryDangling
        case .miscounted: .counterWrong
        }
    }
}
