import API
import ArgumentParser
import Server

/// Prints the settings, and reloads those of the running service.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Print the settings, or reload those of the running service.",
        usage: "tintype config [<subcommand>] [<options>]",
        discussion: """
            EXAMPLES
              tintype config
              tintype config reload --dry-run
            """,
        subcommands: [Show.self, ConfigReloadCommand.self], defaultSubcommand: Show.self)

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Print each setting's value and where it comes from.",
            usage: "tintype config [show] [<options>]",
            discussion: """
                A flag overrides the environment variable TINTYPE_NAME, which overrides the configuration file, which \
                overrides the default.

                EXAMPLE
                  TINTYPE_WORKERS=4 tintype config show --max-side 20000
                """)

        @OptionGroup var settings: SettingOptions<EverySetting>

        @Flag(help: "Print one JSON document for each setting.")
        var json = false

        func run() throws {
            let configuration = try settings.configuration()
            let width = Settings.all.map(\.name.count).max() ?? 0
            for setting in Settings.all {
                let origin = configuration.origin(of: setting)
                if json {
                    Terminal.outputJSON(
                        SettingDocument(name: setting.name, value: origin.text, origin: origin.source))
                } else {
                    let padding = String(repeating: " ", count: width - setting.name.count)
                    Terminal.output(
                        "\(setting.name)\(padding)  \(origin.text.isEmpty ? "-" : origin.text)  (\(origin.source))")
                }
            }
            try configuration.check()
            guard try !configuration.value(\.iconFile).isEmpty else { return }
            // As "serve" reads it.
            _ = try Site(configuration, renderer: configuration.photoRenderer())
        }
    }
}
