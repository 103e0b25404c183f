/// The order of a setup, for the part that is not in the configuration file.
package struct SetupOrderDocument: Document {
    /// The preset of the rules: `members`, `public` or `classroom`; nil to keep the rules.
    package var preset: String?
    /// The e-mail address of the admin; nil for none.
    package var email: String?
    /// The password of a new account; nil for an invitation.
    package var password: String?

    package init(preset: String? = nil, email: String? = nil, password: String? = nil) {
        (self.preset, self.email, self.password) = (preset, email, password)
    }
}

/// The outcome of a setup; of a dry run, what it would be.
package struct SetupDocument: Document {
    /// The outcome for the rules.
    package enum Rules: String, Codable, CaseIterable, Sendable { case kept, unchanged, changed }

    /// The outcome for the admin.
    package enum Admin: String, Codable, CaseIterable, Sendable {
        case none, created, promoted, unchanged, invited
        case invitedBefore = "invited_before"
    }

    /// Whether the store has no people, accounts and posts.
    package let isNew: Bool
    /// The preset that was ordered; nil for none.
    package let preset: String?
    package let rules: Rules
    package let admin: Admin
    /// The id of the admin's account; nil without one.
    package var uid: String?
    /// The address of the admin, as it is stored; nil without one.
    package var email: String?
    /// The invitation of the admin, with its code if it is new; nil without one.
    package var invitation: InvitationDocument?
    /// The settings of the first setup that differ from those in use; nil if it set none.
    package var settings: [SettingsChange]?
    /// The lines for the configuration file, if the service may not write it.
    package var lines: String?
    /// The path of the configuration file; nil if no settings were ordered.
    package var file: String?

    private enum CodingKeys: String, CodingKey {
        case isNew = "is_new"
        case preset, rules, admin, uid, email, invitation, settings, lines, file
    }

    package init(isNew: Bool, preset: String?, rules: Rules, admin: Admin) {
        (self.isNew, self.preset, self.rules, self.admin) = (isNew, preset, rules, admin)
    }
}

/// The outcome of `tintype init`.
package struct InitDocument: Document {
    package let storage: String
    /// The path of the configuration file.
    package let config: String
    /// Whether the service runs.
    package let isRunning: Bool
    package let setup: SetupDocument
    /// The settings that were written, by their names.
    package let settings: [String: String]
    /// The settings that take effect when the service is started again.
    package var waiting: [String] = []
    /// The address of the page; nil if it is not known.
    package var url: String?
    /// The password of the admin, if it was generated.
    package var password: String?

    private enum CodingKeys: String, CodingKey {
        case storage, config
        case isRunning = "is_running"
        case setup, settings, waiting, url, password
    }

    package init(storage: String, config: String, isRunning: Bool, setup: SetupDocument, settings: [String: String]) {
        (self.storage, self.config, self.isRunning) = (storage, config, isRunning)
        (self.setup, self.settings) = (setup, settings)
    }
}
