import API
import Hummingbird
import Requests
import Server
import TreeModel

/// The parts of a site as pages and apps show them.
extension Site {
    /// The backgrounds of the pages' style sheets, as `#rrggbb`.
    private static let (lightPaper, darkPaper) = ("#f6f3ee", "#161412")
    private static let ownIcon = try? SiteIcon(ownPicture: PageFiles["icon.png"])

    /// Returns the texts of pages: in the language of the site, else in the one that the reader prefers.
    func texts(for request: Request) -> PageTexts { PageTexts.in(language ?? PageLanguage(for: request.headers)) }

    /// Returns the description of the service.
    func about(_ texts: PageTexts) -> String { description ?? texts.text("page.about") }

    /// The icon, which is part of the program unless the operator chose another one.
    var shownIcon: SiteIcon? { icon ?? Self.ownIcon }

    /// Returns the path of a picture of the icon. It changes with the picture, because browsers keep icons for long.
    func path(ofIcon name: String) -> String { "/page/\(name)?v=\(shownIcon?.version ?? "")" }

    /// The colours of a browser's window around the pages, for light and dark backgrounds.
    var themeColors: (light: String, dark: String) {
        (accent?.light ?? Self.lightPaper, accent?.dark ?? Self.darkPaper)
    }

    /// The style sheet with the chosen colour; nil for none. It follows those of the pages, whose policy allows no style
    /// in a page itself.
    var theme: String? {
        accent.map { accent in
            """
            :root{--accent:\(accent.light)}
            @media (prefers-color-scheme:dark){:root{--accent:\(accent.dark)}}

            """
        }
    }

    /// Returns the addresses of pages about the service, with their labels.
    func links(_ texts: PageTexts) -> [(label: String, address: String)] {
        [("page.imprint", imprint), ("page.terms", terms), ("page.privacy", privacy)].compactMap { key, address in
            address.map { (texts.text(key), $0) }
        }
    }

    /// The values of the site for all templates.
    func values(_ texts: PageTexts) -> [String: Any] {
        let links = links(texts).map { ["label": $0.label, "href": $0.address] }
        return [
            "site": name, "themeLight": themeColors.light, "themeDark": themeColors.dark,
            "iconSmall": path(ofIcon: SiteIcon.smallName), "iconLarge": path(ofIcon: "icon-192.png"),
            "iconApple": path(ofIcon: SiteIcon.appleName), "hasTheme": theme != nil, "links": links,
            "hasLinks": !links.isEmpty,
        ]
    }

    /// Returns the pictures of the icon.
    ///
    /// - Parameter origin: The scheme and the host of their addresses; empty for paths.
    func icons(at origin: String) -> [SiteDocument.Icon] {
        (shownIcon?.pictures ?? []).map { picture in
            SiteDocument.Icon(
                src: origin + path(ofIcon: picture.name), side: picture.side, purpose: picture.purpose.rawValue)
        }
    }

    /// Returns the manifest of the web app (W3C, "Web Application Manifest").
    func manifest(_ texts: PageTexts) -> JSONValue {
        // The picture for iOS has no use here.
        let icons: [JSONValue] = icons(at: "").filter { !$0.src.contains(SiteIcon.appleName) }.map { icon in
            [
                "src": .string(icon.src), "sizes": .string(icon.sizes), "type": .string(icon.type),
                "purpose": .string(icon.purpose),
            ]
        }
        return [
            "id": "/", "name": .string(name), "short_name": .string(shortName), "description": .string(about(texts)),
            "lang": .string(texts.language.rawValue), "dir": "auto", "start_url": "/", "scope": "/",
            "display": "standalone", "theme_color": .string(themeColors.light),
            "background_color": .string(SiteIcon.background), "icons": .list(icons),
        ]
    }
}
