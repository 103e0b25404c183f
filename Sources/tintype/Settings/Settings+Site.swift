import Server

/// The settings that name the service, for pages, apps, feeds and messages.
extension Settings {
    static let site: [any Setting] = [
        StoredSetting(
            name: "name", target: \Site.name, defaultText: Site().name,
            help: "The name of the service, such as that of a club.",
            details: "At most 60 characters. Pages, apps on home screens, feeds and messages show it "
                + "([where](Gallery.md#name-colours-icon)).",
            flag: .value("text"), expectation: "a name", isLive: true,
            parse: { try SiteText.line($0, maxLength: SiteText.maxNameLength) }),
        StoredSetting(
            name: "description", target: \Site.description, defaultText: "",
            defaultDescription: "a sentence of the pages",
            help: "The sentence that describes the service to search engines and to programs that show links.",
            details: "At most 300 characters.", flag: .value("text"), expectation: "a sentence", isLive: true,
            parse: { text in
                guard !text.isEmpty else { return .some(nil) }
                return Optional.some(try SiteText.line(text, maxLength: SiteText.maxDescriptionLength))
            }),
        StoredSetting(
            name: "accent-color", target: \Site.accent, defaultText: "",
            help: "The colour of links and buttons.",
            details: "Such as `#8a5a2b`. It is darkened for light backgrounds, and lightened for dark ones, until it "
                + "can be read there.",
            flag: .value("color"), expectation: "a colour such as #8a5a2b", isLive: true,
            parse: { $0.isEmpty ? .some(nil) : AccentColor(hex: $0).map(Optional.some) }),
        StoredSetting(
            name: "icon", target: \ServiceSettings.iconFile, defaultText: "",
            defaultDescription: "an icon of the program",
            help: "A picture file: the icon of the pages, and of the app on home screens.",
            details: "In any format that photos may have, with at least 192 pixels on its longer side. It is read "
                + "again at each reload.",
            flag: .value("file"), expectation: "a file", isLive: true, parse: { $0 }),
        StoredSetting(
            name: "language", target: \Site.language, defaultText: "auto",
            help: "The language of the pages: auto (the one that each browser prefers), en or de.",
            flag: .value("language"), expectation: "auto, en or de", isLive: true,
            parse: { $0 == "auto" ? .some(nil) : PageLanguage(rawValue: $0).map(Optional.some) }),
        link("imprint-url", \.imprint, help: "The address of the page that names the operator."),
        link("terms-url", \.terms, help: "The address of the terms of use."),
        link("privacy-url", \.privacy, help: "The address of the privacy policy."),
    ]

    /// Declares the address of a page to which all pages link.
    private static func link(
        _ name: String, _ target: any WritableKeyPath<Site, String?> & Sendable, help: String
    ) -> any Setting {
        StoredSetting(
            name: name, target: target, defaultText: "", help: help,
            details: "An http or https address, or a path. The pages and the form for signing up link to it.",
            flag: .value("url"),
            expectation: "an address such as https://club.example/imprint, or a path such as /imprint", isLive: true,
            parse: { $0.isEmpty ? .some(nil) : SiteText.address($0).map(Optional.some) })
    }
}
