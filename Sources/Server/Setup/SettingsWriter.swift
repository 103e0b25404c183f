/// The operator's configuration file, as the first setup writes it.
package protocol SettingsWriter: Sendable {
    /// Checks that settings are valid, beside those that are set.
    ///
    /// - Throws: `Failure` with the code `bad_configuration`.
    func check(_ settings: [String: String]) throws

    /// Writes settings into the configuration file.
    ///
    /// - Returns: The path of the file, and the lines to add by hand; nil if they were written.
    /// - Throws: `Failure` with the code `bad_configuration`, and the faults of the file except that it must not be
    ///   written.
    func write(_ settings: [String: String]) throws -> (file: String, lines: String?)
}
