/// The flags of settings, for errors about commands that do not take them.
enum SettingFlags {
    /// Returns the explanation of a flag of a setting that a command does not take, such as `--recipe` or
    /// `--max-side=100`; nil for any other word.
    static func explanation(of word: String) -> String? {
        let flag = word.prefix { $0 != "=" }
        guard let setting = Settings.all.first(where: { $0.flagName == flag || "--\($0.name)" == flag }) else {
            return nil
        }
        return
            "\(flag) is not an option of this command, but the setting \(setting.name) of the service: write it into "
            + "the configuration file, or give it to tintype serve"
    }
}
