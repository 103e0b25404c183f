import API
import ArgumentParser
import Failpoints
import Model
import Server
import Transport

/// A list that the documents repeat word for word, printed for the check that compares them.
struct ListsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lists", abstract: "Print a list that the documents are compared with.", shouldDisplay: false)

    enum List: String, CaseIterable, ExpressibleByArgument {
        /// The table of settings, in Markdown.
        case settings
        /// The commands that the help shows.
        case commands
        /// The codes of errors that clients of the service see.
        case errorCodes = "error-codes"
        case failpoints
        /// The table of the nodes of the tree, in Markdown.
        case nodes
    }

    @Argument var list: List

    func run() {
        switch list {
        case .settings: Self.settingsTable.forEach(Terminal.output)
        case .commands: Self.commands.forEach(Terminal.output)
        case .errorCodes: ErrorCode.shownToClients.map(\.rawValue).sorted().forEach(Terminal.output)
        case .failpoints: Failpoint.allCases.map(\.rawValue).forEach(Terminal.output)
        case .nodes: TreeNode.table.forEach(Terminal.output)
        }
    }

    private static var commands: [String] {
        Tintype.configuration.groupedSubcommands.flatMap(\.subcommands).map { "tintype \($0._commandName)" }
    }

    private static var settingsTable: [String] {
        let rows = Settings.all.map { setting in
            let value = setting.defaultText.isEmpty ? "none" : "`\(setting.defaultText)`"
            let text = setting.details.isEmpty ? setting.help : "\(setting.help) \(setting.details)"
            let name = setting.flagName == "--\(setting.name)" ? "" : " (flag: `\(setting.flagName)`, repeated)"
            return [
                "`\(setting.name)`\(name)", setting.defaultDescription ?? value, setting.isLive ? "yes" : "", text,
            ]
        }
        let lines = rows.map { cells in
            "| "
                + cells.map { $0.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|") }
                .joined(separator: " | ") + " |"
        }
        return ["| setting | default | at a reload | what it means |", "| --- | --- | --- | --- |"] + lines
    }
}
