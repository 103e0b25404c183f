import API
import Accounts
import Keeping

extension TreeRule {
    /// The rules of audits for the tree of accounts.
    static let ofAccounts = AccountRule.all.map { TreeRule($0) }

    private init(_ rule: AccountRule) {
        switch rule.judgement {
        case .mend(let writes): self.init(rule.kind.finding, at: rule.place, mend: writes)
        case .report(let complaint): self.init(rule.kind.finding, at: rule.place, report: complaint)
        }
    }
}

extension AccountRule.Kind {
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
