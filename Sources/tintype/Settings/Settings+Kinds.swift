import Uploads

/// The declarations of settings of the same kind.
extension Settings {
    static func count<Part>(
        _ name: String, _ target: any WritableKeyPath<Part, Int> & Sendable, of part: Part, flag: String, help: String
    ) -> any Setting {
        StoredSetting(
            name: name, target: target, defaultText: "\(part[keyPath: target])", help: help, flag: .value(flag),
            expectation: "a whole number of at least 1", parse: { Int($0).flatMap { $0 >= 1 ? $0 : nil } })
    }

    static func duration<Part>(
        _ name: String, _ target: any WritableKeyPath<Part, Duration> & Sendable, default defaultText: String,
        isLive: Bool = false, help: String
    ) -> any Setting {
        StoredSetting(
            name: name, target: target, defaultText: defaultText, help: help, flag: .value("time"),
            expectation: SettingParsers.durationExpectation, isLive: isLive,
            parse: { SettingParsers.duration($0) })
    }

    /// Declares a time after which an action is repeated; `never`, which is nil, disables it.
    static func interval(
        _ name: String, _ target: any WritableKeyPath<PipelineSettings, Duration?> & Sendable,
        default defaultText: String, help: String
    ) -> any Setting {
        StoredSetting(
            name: name, target: target, defaultText: defaultText, help: help,
            details: "`never` disables it ([how](Keeping.md#automatic-work)).", flag: .value("time"),
            expectation: "a time such as 24h or 30d, or never", isLive: true,
            parse: { $0 == "never" ? .some(nil) : SettingParsers.duration($0).map(Optional.some) })
    }

    /// Declares a time after which files are deleted; `forever`, which is nil, keeps them.
    static func lifetime(
        _ name: String, _ target: any WritableKeyPath<Retention, Duration?> & Sendable, default defaultText: String,
        help: String, details: String = ""
    ) -> any Setting {
        StoredSetting(
            name: name, target: target, defaultText: defaultText, help: help,
            details: details.isEmpty ? "`forever` keeps them." : "\(details) `forever` keeps them.",
            flag: .value("time"), expectation: "a time such as 24h or 30d, or forever", isLive: true,
            parse: { $0 == "forever" ? .some(nil) : SettingParsers.duration($0).map(Optional.some) })
    }
}
