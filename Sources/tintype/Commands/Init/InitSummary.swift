import API
import Accounts
import Foundation
import Model

/// The outcome of `tintype init`, for people and for programs.
struct InitSummary {
    let answers: InitAnswers
    let outcome: SetupDocument
    let edit: SettingsEdit
    /// The settings as they are now.
    let configuration: Configuration
    let isRunning: Bool
    /// The address of the running service's page, which an option may have given to it; nil if there is none.
    let page: String?
    let storage: String
    /// The options that name the place, as one writes them in a shell, each after a space.
    let options: String

    /// Prints what was done.
    func printDone() throws {
        let isUnchanged =
            edit.changes.isEmpty && outcome.rules != .changed
            && [.none, .unchanged, .invitedBefore].contains(outcome.admin)
        if isUnchanged { Terminal.output("Nothing has changed: \(storage) was set up like this before.") }
        for (name, text) in edit.changes { Terminal.output("wrote \(name) = \"\(text)\" to \(edit.path)".printable) }
        try printAdmin()
        Terminal.output("")
    }

    /// Prints who may come in and see, and what comes next.
    ///
    /// - Parameter changes: The settings of the running service that differed.
    func printWays(_ changes: [SettingsChange]) throws {
        try printWays()
        try printNext(changes)
    }

    private func printAdmin() throws {
        let email = outcome.email ?? ""
        switch outcome.admin {
        case .none: break
        case .created:
            Terminal.output("\(email) is an admin, with the account \(outcome.uid ?? "").".printable)
            if answers.isPasswordGenerated, let password = answers.password { Terminal.output("password: \(password)") }
        case .promoted:
            Terminal.output("\(email) had an account: it is an admin's now, with the same password.".printable)
        case .unchanged: Terminal.output("\(email) is an admin, as before; the password is unchanged.".printable)
        case .invited:
            Terminal.output("\(email) becomes an admin with this invitation, which is valid for a day:".printable)
            Terminal.output(try link ?? "\(outcome.invitation?.code ?? "") (enter it on the page /join)")
        case .invitedBefore:
            Terminal.output("\(email) has an invitation that is still valid, and is not shown again.".printable)
            let id = outcome.invitation?.id ?? ""
            Terminal.output("For another one: tintype invite rm \(id)\(options), and this command again.".printable)
        }
    }

    private func printWays() throws {
        if let preset = answers.preset {
            preset.meaning.forEach(Terminal.output)
            if outcome.rules == .changed, !outcome.isNew, preset != .public { Terminal.output(RulesPreset.remainder) }
            let other = preset == .members ? RulesPreset.public : .members
            Terminal.output("  change it: tintype rules set --preset \(other.rawValue)\(options)".printable)
        }
        let identity = try configuration.identitySettings()
        let who =
            if identity.allowsEmailSignUp {
                "Anybody with an e-mail address may come in"
            } else if identity.allowsInvitedSignUp {
                "People with an invitation may come in"
            } else {
                "Nobody comes in by themselves"
            }
        Terminal.output("\(who)\(identity.allowsAnonymousSignUp ? ", and anybody without an address" : "").")
        if identity.allowsInvitedSignUp {
            Terminal.output("  invite people: tintype invite add\(options)".printable)
        }
        let other = identity.allowsEmailSignUp ? "invitation" : "email"
        Terminal.output("  change it: tintype init --sign-up \(other)\(options)".printable)
    }

    private func printNext(_ changes: [SettingsChange]) throws {
        Terminal.output("")
        if let address = try address {
            Terminal.output("The page: \(address)/")
        } else {
            Terminal.output("There is no page yet: tintype init --listen 127.0.0.1:8080\(options)".printable)
        }
        guard isRunning else {
            return Terminal.output("Next: sudo systemctl start tintype, or tintype serve\(options)".printable)
        }
        let waiting = changes.filter { $0.effect == .needsRestart }.map(\.name)
        for change in changes where change.effect != .applied {
            Terminal.output(change.sentence(isDryRun: false).printable)
        }
        let unseen = edit.changes.map(\.name).filter { name in !changes.contains { $0.name == name } }
        if !unseen.isEmpty {
            Terminal.output(
                "The running service uses these settings already, or reads another file than \(edit.path): "
                    + unseen.joined(separator: ", "))
        }
        if !waiting.isEmpty {
            Terminal.output("Next: sudo systemctl restart tintype, or stop tintype serve and start it again")
        }
    }

    /// The link of the admin's invitation; nil without one, and if the address of the service is not known.
    private var link: String? {
        get throws {
            guard let code = outcome.invitation?.code else { return nil }
            let origin = try AccountChoices(configuration).origin()
            let isKnown = !origin.isEmpty && !Self.everywhere.contains { origin.contains($0) }
            return isKnown ? "\(origin)/join#\(code)" : nil
        }
    }

    /// The hosts in the address of a service that listens at all addresses of its machine.
    private static let everywhere = ["//[::]:", "//0.0.0.0:"]

    /// The address of the page on this machine: that of the settings, or of the running service; nil if there is none.
    private var address: String? {
        get throws {
            let origin = try AccountChoices(configuration).origin()
            guard !origin.isEmpty else { return page }
            return Self.everywhere.reduce(origin) { $0.replacing($1, with: "//localhost:") }
        }
    }

    /// Returns the outcome for programs.
    ///
    /// - Parameter changes: The settings of the running service that differed.
    func document(_ changes: [SettingsChange]) throws -> InitDocument {
        var setup = outcome
        setup.invitation?.link = try link
        var document = InitDocument(
            storage: storage, config: edit.path, isRunning: isRunning, setup: setup,
            settings: Dictionary(uniqueKeysWithValues: edit.changes.map { ($0.name, $0.text) }))
        document.url = try address.map { "\($0)/" }
        document.password = answers.isPasswordGenerated && outcome.admin == .created ? answers.password : nil
        document.waiting = changes.filter { $0.effect == .needsRestart }.map(\.name)
        return document
    }
}

extension StorageOptions {
    /// The options as one writes them in a shell, each after a space; empty without options.
    var words: String {
        [("--storage", storage), ("--config", config)]
            .compactMap { name, value in value.map { " \(name) \($0.shellArgument)" } }
            .joined()
    }
}

extension Configuration {
    /// Whether people with an invitation may create an account.
    func admitsInvited() throws -> Bool {
        let identity = try identitySettings()
        return identity.allowsInvitedSignUp || identity.allowsEmailSignUp
    }
}
