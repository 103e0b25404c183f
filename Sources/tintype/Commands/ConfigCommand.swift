import API
import ArgumentParser

/// Prints each setting's value and its origin.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Print each setting's value and where it comes from.",
        discussion: """
            A flag overrides the environment variable TINTYPE_NAME, which overrides the configuration file, which overrides \
            the default.

            EXAMPLE
              TINTYPE_WORKERS=4 tintype config --max-side 20000
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
    }
}
