package import API
package import Accounts
import Concurrency
package import Hummingbird
package import Model
package import Requests
import Synchronization
package import Tree
import TreeModel

/// The setup of a service: the preset of its rules, and its first admin. What may be set up by strangers, and until when,
/// is decided here alone.
///
/// Methods may be called from any task.
package final class ServiceSetup: Sendable {
    /// The order of a setup.
    package struct Order: Sendable {
        /// The preset; nil to keep the rules.
        package var preset: RulesPreset?
        /// The e-mail address of the admin; nil for none.
        package var email: String?
        /// The password of the admin's account; nil for an invitation.
        package var password: String?

        package init(preset: RulesPreset? = nil, email: String? = nil, password: String? = nil) {
            (self.preset, self.email, self.password) = (preset, email, password)
        }
    }

    private let tree: TreeStore
    private let accounts: AdminSetup
    private let storageRules: StorageRulesStore
    /// The requesters of the first setup; nil if it is not offered.
    let firstRun: FirstRun?
    /// The turn to set up.
    private let turn = AsyncSemaphore(1)
    /// Whether somebody has had an account, which stays true.
    private let isOver = Atomic(false)

    package init(
        of tree: TreeStore, _ accounts: AdminSetup, _ storageRules: StorageRulesStore, firstRun: FirstRun? = nil
    ) {
        (self.tree, self.accounts, self.storageRules, self.firstRun) = (tree, accounts, storageRules, firstRun)
    }

    // MARK: The first setup

    /// Whether nobody is there yet, so that the first setup is offered: there has never been an account, and the rules
    /// are those of a new store.
    ///
    /// - Throws: `IdentityError` and `TreeError`, the engine's failure.
    package var isOpen: Bool {
        get async throws {
            guard firstRun != nil, !isOver.load(ordering: .relaxed) else { return false }
            let state = try await accounts.state
            if state.hasHadAccounts {
                isOver.store(true, ordering: .relaxed)
                firstRun?.end()
                return false
            }
            // After a stop in between, the rules are there, and the admin is not.
            if state.hasBegun { return true }
            guard try await tree.rules() == DefaultRules.database else { return false }
            return try await !hasStorageRules
        }
    }

    private var hasStorageRules: Bool {
        get async throws { try await tree.get(ObjectNodes.rules() / "version") != nil }
    }

    /// Whether a browser that asks for the first page is shown the setup: it is on this machine, and there is nothing to
    /// show yet.
    package func isShown(to request: Request, _ context: HTTPContext) async throws -> Bool {
        guard let firstRun, !isOver.load(ordering: .relaxed), firstRun.isHere(request, context), try await isOpen else {
            return false
        }
        return try await tree.keys(of: PostNodes.post(), limit: 1).isEmpty
    }

    /// Whether the page of the setup needs no code from a browser.
    package func needsNoCode(from request: Request, _ context: HTTPContext) -> Bool {
        firstRun?.isHere(request, context) == true
    }

    // MARK: Setting up

    /// Whether the store has no people, accounts and posts.
    package var isNew: Bool {
        get async throws {
            guard try await !accounts.state.hasHadAccounts else { return false }
            for path in [PostNodes.post(), PeopleNodes.person()] {
                guard try await tree.keys(of: path, limit: 1).isEmpty else { return false }
            }
            return true
        }
    }

    /// Sets the rules of a preset, and makes an admin. A repetition has the same result.
    ///
    /// - Parameters:
    ///   - isFirst: Whether it is the first setup, which somebody other than an admin orders.
    ///   - isDryRun: Whether nothing is changed.
    /// - Returns: The outcome, and the code of the admin's invitation; nil if the first setup is over.
    /// - Throws: `Failure` for an order that is not valid, before anything is changed; `TreeError`.
    package func run(
        _ order: Order, isFirst: Bool = false, isDryRun: Bool = false
    ) async throws -> (outcome: SetupDocument, code: InvitationCode?)? {
        guard await turn.wait() else { throw CancellationError() }
        defer { turn.signal() }
        if isFirst, try await !isOpen { return nil }
        let isNew = try await isNew
        let admin: AdminSetup.Order?
        if let email = order.email {
            admin = try await answering { [accounts] () throws(IdentityError) in
                try await accounts.order(email: email, password: order.password)
            }
        } else {
            admin = nil
        }
        let rules = try await rules(order.preset, endsWithAdmin: admin != nil, isDryRun: isDryRun)
        var outcome: AdminSetup.Outcome?
        if let admin {
            outcome = try await answering { [accounts] () throws(IdentityError) in
                try await accounts.make(admin, isFirst: isFirst, isDryRun: isDryRun)
            }
            guard outcome != nil else { return nil }
        }
        var (document, code) = document(isNew: isNew, order.preset, rules, outcome, admin)
        // What was not made has no id and no code.
        if isDryRun, document.admin == .created { document.uid = nil }
        if isDryRun, document.admin == .invited { (document.invitation, code) = (nil, nil) }
        return (document, code)
    }

    /// Sets the rules of a preset. What closes comes first, so that photos are never shown longer than posts.
    private func rules(
        _ preset: RulesPreset?, endsWithAdmin: Bool, isDryRun: Bool
    ) async throws -> SetupDocument.Rules {
        guard let preset else { return .kept }
        let (database, files) = (preset.marked(preset.database), preset.marked(preset.storage))
        let isSame = try await tree.rules() == database && storageRules.inForce.text == files
        guard !isSame else { return .unchanged }
        guard !isDryRun else { return .changed }
        if endsWithAdmin, try await !accounts.state.hasHadAccounts {
            try await answering { [accounts] () throws(IdentityError) in try await accounts.begin() }
        }
        if preset == .public { try await tree.setRules(database) }
        try await storageRules.set(files)
        if preset != .public { try await tree.setRules(database) }
        return .changed
    }

    private func document(
        isNew: Bool, _ preset: RulesPreset?, _ rules: SetupDocument.Rules, _ outcome: AdminSetup.Outcome?,
        _ admin: AdminSetup.Order?
    ) -> (SetupDocument, InvitationCode?) {
        let (kind, uid): (SetupDocument.Admin, String?) =
            switch outcome {
            case .created(let uid): (.created, uid)
            case .promoted(let uid): (.promoted, uid)
            case .unchanged(let uid): (.unchanged, uid)
            case .invited: (.invited, nil)
            case .invitedBefore: (.invitedBefore, nil)
            case nil: (.none, nil)
            }
        var document = SetupDocument(isNew: isNew, preset: preset?.rawValue, rules: rules, admin: kind)
        (document.uid, document.email) = (uid, admin?.email.description)
        var code: InvitationCode?
        switch outcome {
        case .invited(let invitation, let made):
            code = made
            document.invitation = InvitationDocument(invitation, at: accounts.now, code: made.shown)
        case .invitedBefore(let invitation):
            document.invitation = InvitationDocument(invitation, at: accounts.now)
        default: break
        }
        return (document, code)
    }
}
