import API
import ArgumentParser
import Foundation
import Model

/// Sets up a service: its name, who may see and come in, and its first admin.
struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Set up a service: its name, who may see posts, who may create an account, and an admin.",
        discussion: """
            On a terminal the command asks at most five questions: for each of --name, --visible, --sign-up and --admin that \
            is missing, and for the password of an admin whom you name there. It writes settings into the configuration file, \
            in which everything else stays, and sets the rules of a preset. A new admin gets an account if there is a \
            password, and otherwise an invitation that is valid for a day. The command works whether the service runs or not.

            In a store that has people, accounts or posts, the command changes only what the options name, and asks only \
            before it replaces rules. The same command again changes nothing.

            EXAMPLES
              tintype init
              tintype init --name "Rowing Club" --visible members --sign-up invitation \\
                --admin ann@example.com --generate-password
              tintype init --name "Class 7b" --visible classroom --yes
              tintype init --visible public --yes --json
            """)

    @OptionGroup var storage: StorageOptions

    @OptionGroup var options: InitOptions

    @OptionGroup var source: UserCommand.PasswordOptions

    @Flag(
        name: .shortAndLong,
        help: "Ask nothing: the defaults are members, invitation and no admin; rules in use are replaced.")
    var yes = false

    @Flag(help: "Print one JSON document.")
    var json = false

    func validate() throws {
        let hasPassword = source.passwordFile != nil || source.generatePassword
        guard options.admin != nil || !hasPassword else { throw ValidationError("a password needs --admin EMAIL") }
        if let admin = options.admin, !admin.contains("@") {
            throw ValidationError("--admin is an e-mail address, such as ann@example.com")
        }
    }

    func run() async throws {
        let configuration = try Configuration(
            flags: storage.storage.map { ["storage": $0] } ?? [:], file: storage.config, mayBeMissing: true)
        for setting in Settings.all {
            guard let text = options.settings[setting.name] else { continue }
            try setting.check(Configuration.Origin(text: text, source: "--\(setting.name)"))
        }
        let password = try options.admin == nil ? nil : source.chosen()
        try await InitPlace(configuration, storage).use { place in
            var answers = InitAnswers(options, password: password)
            answers.isPasswordGenerated = source.generatePassword
            if try await place.isNew {
                try answers.complete(isAsking: PasswordPrompt.isPossible && !yes, takesDefaults: yes)
            } else if answers.isEmpty {
                throw ValidationError(
                    "\(place.path) has people, accounts or posts already; say what to change, such as --visible members"
                )
            }
            try await place.opened { try await apply(answers, configuration, at: $0) }
        }
    }

    private func apply(_ answers: InitAnswers, _ configuration: Configuration, at place: InitPlace.Open) async throws {
        let edit = try SettingsEdit(of: configuration.file, storage: storage.storage, to: answers.settings)
        defer { edit.end() }
        let next = try edit.configuration()
        let plan = try await place.setUp(answers.order, isDryRun: true)
        if plan.admin == .invited, try !next.admitsInvited() {
            throw ValidationError(
                "with --sign-up none nobody could use the invitation of \(answers.admin ?? ""); "
                    + "give --password-file FILE or --generate-password")
        }
        if plan.rules == .changed, !plan.isNew, !yes { try await confirm(answers.preset, at: place) }
        let page = try await place.page()
        try edit.publish()
        let outcome = try await place.setUp(answers.order, isDryRun: false)
        let summary = InitSummary(
            answers: answers, outcome: outcome, edit: edit, configuration: next, isRunning: place.isRunning, page: page,
            storage: place.path, options: storage.words)
        // A generated password, or the code of an invitation, is never shown again: it is printed before the reload,
        // which can fail.
        if !json { try summary.printDone() }
        let changes: [SettingsChange]
        do {
            changes = try await place.reload()
        } catch {
            if json { Terminal.outputJSON(try summary.document([])) }
            throw error
        }
        json ? Terminal.outputJSON(try summary.document(changes)) : try summary.printWays(changes)
    }

    /// Shows what another preset changes, and asks whether it shall.
    private func confirm(_ preset: RulesPreset?, at place: InitPlace.Open) async throws {
        guard let preset else { return }
        preset.meaning.forEach(Terminal.note)
        for words in try await place.changes(to: preset) { Terminal.note(words) }
        try Terminal.confirm("replace the rules of \(place.path) by those of the preset \(preset.rawValue)")
    }
}

/// The answers that are given as options. Those that are settings have the settings' names.
struct InitOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The name of the service, such as that of a club.", valueName: "text"))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "Who may see posts: members (with an account), public (everybody) or classroom (members of a class).",
            valueName: "preset"))
    var visible: RulesPreset?

    @Option(
        help: ArgumentHelp(
            "Who may create an account: invitation, email (anyone with an address), or other values of the setting.",
            valueName: "ways"))
    var signUp: String?

    @Option(help: ArgumentHelp("The e-mail address of the person who becomes an admin.", valueName: "email"))
    var admin: String?

    @Option(help: ArgumentHelp("The address and port for HTTP, such as 127.0.0.1:8080.", valueName: "host:port"))
    var listen: String?

    @Option(
        name: .customLong("public-url"),
        help: ArgumentHelp("The address at which people reach the service, such as that of a proxy.", valueName: "url"))
    var publicURL: String?

    @Option(help: ArgumentHelp("The language of the pages: auto, en or de.", valueName: "language"))
    var language: String?

    /// The texts of settings, by their names.
    var settings: [String: String] {
        ["name": name, "sign-up": signUp, "listen": listen, "public-url": publicURL, "language": language]
            .compactMapValues(\.self)
    }
}

extension UserCommand.PasswordOptions {
    /// Returns the password of the options; nil if they name none.
    func chosen() throws -> String? { passwordFile == nil && !generatePassword ? nil : try password() }
}
