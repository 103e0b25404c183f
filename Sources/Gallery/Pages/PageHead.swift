import API
import HTTPTypes
import Hummingbird
import NIOCore
import Requests
import Server
import Transport

/// The parts that all pages of the gallery have in common: the head, with the description for programs that show a link
/// to the page, and the view.
struct PageHead {
    /// The traits of the reader and of the service that a page depends on.
    struct Traits {
        /// Whether the reader of the setup needs no code, as on the service's machine.
        var isLocal = false
        /// Whether the service can send messages with codes, by which people choose a new password.
        var canSendCodes = false
        var waysIn = WaysIn()
    }

    let texts: PageTexts
    let site: Site
    let origin: String
    /// The values for the template.
    private(set) var values: [String: Any]
    private var graph: [(String, String)] = []

    /// - Parameters:
    ///   - view: The view that the scripts show.
    ///   - title: The title of the page; the service's name is appended.
    ///   - traits: Further traits for the scripts.
    init(
        _ view: String, _ title: String?, _ texts: PageTexts, of site: Site, origin: String, traits: Traits = Traits()
    ) {
        self.texts = texts
        self.site = site
        self.origin = origin
        values = [
            "language": texts.language.rawValue, "t": texts.tree, "view": view,
            "title": site.name, "description": site.about(texts),
            "styles": PageAssets.path(of: "page.css"),
            "script": PageAssets.path(of: "gallery.\(texts.language.rawValue).js"),
            "isHome": view == "home", "isAll": view == "all", "isHidden": false, "hasQuery": false, "query": "",
            "isLocal": traits.isLocal, "canSendCodes": traits.canSendCodes,
            "takesJoinRequests": traits.waysIn.takesJoinRequests,
        ].merging(site.values(texts)) { $1 }
        values["signUp"] = traits.waysIn.signUp?.rawValue
        if let title { setTitle(title) }
    }

    /// A value for one of the templates.
    subscript(name: String) -> Any? {
        get { values[name] }
        set { values[name] = newValue }
    }

    /// Sets the title of the page, to which the service's name is appended.
    mutating func setTitle(_ title: String) { values["title"] = "\(title) · \(site.name)" }

    /// Sets the address and the description of the page (Open Graph).
    ///
    /// - Parameter type: `website`, `profile` or `article`.
    mutating func share(_ path: String, type: String, title: String, description: String) {
        values["canonical"] = origin + path
        values["description"] = description
        graph = [
            ("og:site_name", site.name), ("og:type", type), ("og:url", origin + path), ("og:title", title),
            ("og:description", description), ("og:locale", texts.language == .german ? "de_DE" : "en_GB"),
        ]
        values["cards"] = [["property": "twitter:card", "content": "summary"]]
        setGraph()
    }

    /// Adds a picture to the description.
    mutating func share(_ rendition: ShownPost.Rendition, alt: String) {
        graph += [
            ("og:image", origin + rendition.path), ("og:image:width", "\(rendition.width)"),
            ("og:image:height", "\(rendition.height)"), ("og:image:alt", alt),
        ]
        if !rendition.contentType.isEmpty { graph.append(("og:image:type", rendition.contentType)) }
        values["cards"] = [["property": "twitter:card", "content": "summary_large_image"]]
        setGraph()
    }

    /// Adds the picture of a person to the description.
    mutating func share(picture path: String) {
        graph.append(("og:image", origin + path))
        setGraph()
    }

    /// Leaves out everything that other programs would show or follow: the page is of a closed service.
    mutating func close() {
        values["isHidden"] = true
        for name in ["canonical", "graph", "cards", "alternates"] { values[name] = nil }
    }

    private mutating func setGraph() { values["graph"] = graph.map { ["property": $0.0, "content": $0.1] } }

    /// Adds other forms of the page, by their types and paths.
    mutating func addAlternates(_ alternates: [(type: String, path: String, label: String)]) {
        values["alternates"] = alternates.map { ["type": $0.type, "href": origin + $0.path, "label": $0.label] }
    }

    // MARK: - The response

    func response(_ template: String, status: HTTPResponse.Status = .ok) -> Response {
        Self.html(PageTemplates.shared.render(template, values), status)
    }

    /// Returns the response with a page that is the same for everybody, or `304 Not Modified` if the client has it.
    func cached(_ template: String, _ request: Request) -> Response {
        var headers = Self.safeHeaders
        headers.vary(by: PageLanguage.vary)
        return Asset(Array(PageTemplates.shared.render(template, values).utf8), contentType: "text/html; charset=utf-8")
            .response(to: request, headers: headers)
    }

    private static func html(_ text: String, _ status: HTTPResponse.Status) -> Response {
        var headers = safeHeaders
        headers[.contentType] = "text/html; charset=utf-8"
        headers[.cacheControl] = "private, no-cache"
        headers.vary(by: PageLanguage.vary)
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// The headers that restrict a page: no inline code, nothing from other sites, no text that becomes markup.
    static let safeHeaders: HTTPFields = [
        .contentSecurityPolicy: """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; \
        manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
        trusted-types 'none'
        """,
        .referrerPolicy: "same-origin",
    ]
}

extension HTTPField.Name {
    static var referrerPolicy: HTTPField.Name { HTTPField.Name(parsed: "referrer-policy") }
    static var crossOriginResourcePolicy: HTTPField.Name { HTTPField.Name(parsed: "cross-origin-resource-policy") }
}

extension String {
    /// Returns the beginning of the text, on one line.
    func excerpt(_ length: Int) -> String {
        let line = split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return line.count > length ? line.prefix(length - 1) + "…" : line
    }
}
