import ArgumentParser

/// The names of commands, for errors about commands that do not exist.
enum CommandNames {
    /// Returns the error about the command that the arguments name; nil when the command exists, or when none is named.
    ///
    /// The parser itself would report the first option after an unknown command instead.
    ///
    /// - Parameters:
    ///   - command: The group whose subcommand the first argument names.
    ///   - path: The names of the group and of those that it is in.
    ///   - program: The words before the name of a command: the program, and `help` when only its help is wanted.
    static func fault(
        in arguments: [String], of command: any ParsableCommand.Type = Tintype.self, at path: [String] = [],
        program: String = "tintype"
    ) -> String? {
        let names = Dictionary(
            command.configuration.subcommands.flatMap { command in
                ([command._commandName] + command.configuration.aliases).map { ($0, command) }
            }, uniquingKeysWith: { first, _ in first })
        guard !names.isEmpty, let word = arguments.first, !word.hasPrefix("-") else { return nil }
        let rest = Array(arguments.dropFirst())
        if word == "help" { return fault(in: rest, of: command, at: path, program: "tintype help") }
        if let next = names[word] { return fault(in: rest, of: next, at: path + [word], program: program) }
        let words = path + arguments
        if let fault = EarlierCommands.fault(in: words, program: program) { return fault }
        let known = names.filter { $0.value.configuration.shouldDisplay }.keys.sorted()
        let help = (["tintype"] + path + ["--help"]).joined(separator: " ")
        let synonym = CommandSynonyms.command(for: word, at: path, among: known)
        guard let suggestion = synonym ?? Spelling.suggestion(for: word, among: known) else {
            // It may be an argument of the default subcommand.
            if command.configuration.defaultSubcommand != nil, !CommandSynonyms.isVerb(word) { return nil }
            if !CommandSynonyms.isVerb(word), let fault = EarlierCommands.faultOfForm(in: words, program: program) {
                return fault
            }
            return "there is no command \"\(word)\"; there are \(known.joined(separator: ", ")) (see \"\(help)\")"
        }
        return "there is no command \"\(word)\"; did you mean \"\(suggestion)\"? (see \"\(help)\")"
    }
}
