import API
import HTTPTypes
import Hummingbird
import NIOCore
import Requests
import Transport

/// What all pages of the gallery have in common: the head, with what is told to whoever shows a link to the page, and the
/// view.
struct PageHead {
    /// The traits of the reader and of the service that a page goes by.
    struct Traits {
        /// Whether whoever reads it is at the service's machine.
        var isLocal = false
        /// Whether people can be sent messages with codes, by which they choose another password.
        var canSendCodes = false
    }

    let texts: PageTexts
    let origin: String
    /// The values for the template.
    private(set) var values: [String: Any]
    private var graph: [(String, String)] = []

    /// - Parameters:
    ///   - view: What the scripts make of the page.
    ///   - title: What the page is called; the service's name comes behind it.
    ///   - traits: What else the scripts go by.
    init(_ view: String, _ title: String?, _ texts: PageTexts, origin: String, traits: Traits = Traits()) {
        self.texts = texts
        self.origin = origin
        values = [
            "language": texts.language.rawValue, "t": texts.tree, "view": view,
            "title": title.map { "\($0) · Tintype" } ?? "Tintype", "description": texts.text("page.about"),
            "isHome": view == "home", "isAll": view == "all", "isHidden": false, "hasQuery": false, "query": "",
            "isLocal": traits.isLocal, "canSendCodes": traits.canSendCodes,
        ]
    }

    /// A value that one of the templates needs.
    subscript(name: String) -> Any? {
        get { values[name] }
        set { values[name] = newValue }
    }

    /// Names the address of the page, and what it is about (Open Graph).
    ///
    /// - Parameter type: `website`, `profile` or `article`.
    mutating func share(_ path: String, type: String, title: String, description: String) {
        values["canonical"] = origin + path
        values["description"] = description
        graph = [
            ("og:site_name", "Tintype"), ("og:type", type), ("og:url", origin + path), ("og:title", title),
            ("og:description", description), ("og:locale", texts.language == .german ? "de_DE" : "en_GB"),
        ]
        values["cards"] = [["property": "twitter:card", "content": "summary"]]
        setGraph()
    }

    /// Adds a picture to what is told.
    mutating func share(_ rendition: ShownPost.Rendition, alt: String) {
        graph += [
            ("og:image", origin + rendition.path), ("og:image:width", "\(rendition.width)"),
            ("og:image:height", "\(rendition.height)"), ("og:image:alt", alt),
        ]
        if !rendition.contentType.isEmpty { graph.append(("og:image:type", rendition.contentType)) }
        values["cards"] = [["property": "twitter:card", "content": "summary_large_image"]]
        setGraph()
    }

    /// Adds the picture of a person.
    mutating func share(picture path: String) {
        graph.append(("og:image", origin + path))
        setGraph()
    }

    private mutating func setGraph() { values["graph"] = graph.map { ["property": $0.0, "content": $0.1] } }

    /// Names other forms of the page, by their types and paths.
    mutating func addAlternates(_ alternates: [(type: String, path: String, label: String)]) {
        values["alternates"] = alternates.map { ["type": $0.type, "href": origin + $0.path, "label": $0.label] }
    }

    // MARK: - The answer

    func response(_ template: String, status: HTTPResponse.Status = .ok) -> Response {
        Self.html(PageTemplates.shared.render(template, values), status)
    }

    private static func html(_ text: String, _ status: HTTPResponse.Status) -> Response {
        var headers = safeHeaders
        headers[.contentType] = "text/html; charset=utf-8"
        headers[.cacheControl] = "private, no-cache"
        headers.vary(by: PageLanguage.vary)
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// What keeps a page from doing what it is not to do: no inline code, no other site's anything, no text that becomes
    /// markup.
    static let safeHeaders: HTTPFields = [
        .contentSecurityPolicy: """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; \
        form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
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
    /// The beginning of the text on one line.
    func excerpt(_ length: Int) -> String {
        let line = split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return line.count > length ? line.prefix(length - 1) + "…" : line
    }
}
