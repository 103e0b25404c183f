import ArgumentParser

/// The names of commands, for errors about commands that do not exist.
enum CommandNames {
    /// Returns the error about the command that the arguments name; nil when the command exists, or when none is named.
    ///
    /// The parser itself would report the first option after an unknown command instead.
    static func fault(in arguments: [String], of command: any ParsableCommand.Type = Tintype.self) -> String? {
        let names = Dictionary(
            command.configuration.subcommands.flatMap { command in
                ([command._commandName] + command.configuration.aliases).map { ($0, command) }
            }, uniquingKeysWith: { first, _ in first })
        guard !names.isEmpty, let word = arguments.first, !word.hasPrefix("-") else { return nil }
        if word == "help" { return fault(in: Array(arguments.dropFirst()), of: command) }
        if let next = names[word] { return fault(in: Array(arguments.dropFirst()), of: next) }
        let known = names.filter { $0.value.configuration.shouldDisplay }.keys.sorted()
        if command == Tintype.self, let fault = RemovedCommands.fault(in: arguments) { return fault }
        let whole = command == Tintype.self ? "tintype" : "tintype \(command._commandName)"
        guard let suggestion = Spelling.suggestion(for: word, among: known) else {
            // It may be an argument of the default subcommand.
            if command.configuration.defaultSubcommand != nil { return nil }
            return
                "there is no command \"\(word)\"; there are \(known.joined(separator: ", ")) (see \"\(whole) --help\")"
        }
        return "there is no command \"\(word)\"; did you mean \"\(suggestion)\"? (see \"\(whole) --help\")"
    }
}
