import API
import Accounts
import ArgumentParser
import Foundation
import Model

/// The answers from which a service is set up.
struct InitAnswers {
    var preset: RulesPreset?
    /// The e-mail address of the admin; nil for none.
    var admin: String?
    /// The password of the admin; nil for an invitation.
    var password: String?
    var isPasswordGenerated = false
    /// The texts of settings, by their names.
    var settings: [String: String]

    init(_ options: InitOptions, password: String?) {
        (preset, admin, settings) = (options.visible, options.admin, options.settings)
        self.password = password
    }

    /// Whether there is nothing to do.
    var isEmpty: Bool { preset == nil && admin == nil && settings.isEmpty }

    /// The part that is not in the configuration file.
    var order: SetupOrderDocument {
        SetupOrderDocument(preset: preset?.rawValue, email: admin, password: password)
    }

    /// Completes the answers for a new store, by questions or by the safe defaults.
    ///
    /// - Throws: `ValidationError` that names the missing options if neither is possible; `ExitStatus.failed` when the
    ///   person cancels.
    mutating func complete(isAsking: Bool, takesDefaults: Bool) throws {
        let missing = [
            settings["name"] == nil ? "--name" : nil, preset == nil ? "--visible" : nil,
            settings["sign-up"] == nil ? "--sign-up" : nil, admin == nil ? "--admin" : nil,
        ].compactMap(\.self)
        guard isAsking else {
            guard missing.isEmpty || takesDefaults else {
                throw ValidationError(
                    "there is no terminal to ask; give \(missing.joined(separator: ", ")), or --yes for the safe defaults"
                )
            }
            preset = preset ?? .members
            settings["sign-up"] = settings["sign-up"] ?? "invitation"
            return
        }
        if settings["name"] == nil {
            let name = try Self.ask("The name of the service, which pages and messages show", default: "Tintype") {
                try Self.check("name", $0)
            }
            if name != "Tintype" { settings["name"] = name }
        }
        if preset == nil {
            let answer = try Self.ask(
                "Who may see? members: people with an account. public: everybody. classroom: the members of a class",
                default: "members"
            ) { RulesPreset(rawValue: $0) == nil ? "answer members, public or classroom" : nil }
            preset = RulesPreset(rawValue: answer)
        }
        if settings["sign-up"] == nil {
            settings["sign-up"] = try Self.ask(
                "Who may come in? invitation: people whom you invite. email: anybody with an address. none: nobody",
                default: "invitation"
            ) { try Self.check("sign-up", $0) }
        }
        try askForAdmin()
    }

    private mutating func askForAdmin() throws {
        guard admin == nil else { return }
        let address = try Self.ask("Your e-mail address, for the first admin; none makes no admin", default: "none") {
            $0 == "none" || EmailAddress($0) != nil ? nil : "answer with an address such as ann@example.com"
        }
        guard address != "none" else { return }
        admin = address
        Terminal.note(
            "Your password, of at least 6 characters. Without one, you get an invitation that is valid for a day.")
        let password = try PasswordPrompt.newPassword()
        self.password = password.isEmpty ? nil : password
    }

    /// Asks a question until the answer is valid; an empty answer is the default.
    ///
    /// - Parameter complaint: Returns what is wrong with an answer; nil for a valid one.
    private static func ask(
        _ question: String, default text: String, complaint: (String) throws -> String?
    ) throws -> String {
        while true {
            Terminal.note("\(question).")
            Terminal.draw("[\(text)] ")
            guard let line = readLine() else { throw ExitStatus.failed }
            Terminal.answered()
            let answer = line.trimmingCharacters(in: .whitespaces)
            if answer.isEmpty { return text }
            guard let complaint = try complaint(answer) else { return answer }
            Terminal.note(complaint)
        }
    }

    /// Returns what is wrong with the text of a setting; nil if it is valid.
    private static func check(_ name: String, _ text: String) throws -> String? {
        guard let setting = Settings.all.first(where: { $0.name == name }) else { return nil }
        do {
            try setting.check(Configuration.Origin(text: text, source: "your answer"))
            return nil
        } catch let error as ConfigurationError {
            return error.description
        }
    }
}
