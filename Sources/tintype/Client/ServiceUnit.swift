import Foundation

/// The systemd unit of the package, as far as a command can know it: for advice when no service listens.
struct ServiceUnit {
    private static let settings = "/etc/tintype/tintype.json"
    private static let folders = [
        "/etc/systemd/system", "/usr/local/lib/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system",
    ]

    /// Whether the unit is installed.
    var isInstalled: Bool = folders.contains { FileManager.default.fileExists(atPath: "\($0)/tintype.service") }

    /// Returns the advice for a command that finds no service; nil if the unit is not installed.
    ///
    /// - Parameter file: The configuration file that the command has read.
    func hint(using file: String) -> String? {
        guard isInstalled else { return nil }
        guard file != Self.settings else {
            return "See why with \"systemctl status tintype\", and start it with \"sudo systemctl start tintype\"."
        }
        return "Start one there with \"tintype serve\", or name the settings of the installed service with "
            + "--config \(Self.settings); \"systemctl status tintype\" shows whether that one runs."
    }
}
