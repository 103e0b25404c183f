import API
import Client
import Foundation
import FoundationXML
import HTTPTypes
import Imaging
import Server
import Service
import TestSupport
import Testing
import TreeModel

@testable import Gallery

@Suite("The name, the looks and the links of a service, wherever they are shown", .timeLimit(.minutes(20)))
struct SiteRouteTests {
    /// A name that would be code in a page, a feed or a style.
    private static let name = "<script>\"'&</title>]]> 📷 Club"

    private static func site(_ change: (inout Site) -> Void = { _ in }) -> CurrentSite {
        var site = Site()
        site.name = name
        site.description = "Photos of \"us\" & <others>"
        site.accent = AccentColor(hex: "#ffff00")
        (site.imprint, site.terms, site.privacy) = ("https://club.example/imprint?a=1&b=2", "/terms", nil)
        change(&site)
        return CurrentSite(site)
    }

    @Test("Without a choice, everything has the name of the program and an icon of its own")
    func standard() async throws {
        try await withService { service in
            try await service.setDefaultRules()
            let page = try await service.tcpClient.get("/all").text
            #expect(page.contains("<title>Tintype</title>") && page.contains("data-site=\"Tintype\""))
            #expect(!page.contains("theme.css") && !page.contains("site-links"))
            let site = try await service.tcpClient.get("/v1/site").json
            #expect(site["name"].string == "Tintype" && site["icons"].array.count == 6)
            #expect(site["accent"] == .null && site["language"] == .null && site["links"]["imprint"] == .null)
            #expect(try await service.tcpClient.get("/page/theme.css").body.isEmpty)
            let feed = try await service.tcpClient.get("/feed.jsonfeed").json
            #expect(feed["title"].string == "Tintype · Newest posts")
        }
    }

    @Test("The name is text in pages, their descriptions, feeds and embedded posts")
    func names() async throws {
        try await withService(changeServer: { $0.site = Self.site() }) { service in
            try await service.setDefaultRules()
            let id = try await service.client.post("words") ?? ""
            let escaped = ScalarHTML.escape(Self.name)
            for path in ["/", "/all", "/people/maria", "/posts/\(id)", "/search", "/ops", "/account", "/nowhere"] {
                let headers: HTTPFields = [.accept: "text/html"]
                let page = try await service.tcpClient.get(path, headers: headers).text
                #expect(page.contains("\(escaped)</title>"), "\(path)")
                #expect(!page.contains(Self.name) && !page.contains("<script>"), "\(path)")
                #expect(page.contains("<link rel=\"manifest\" href=\"/manifest.webmanifest\">"), "\(path)")
                #expect(page.contains("href=\"/page/theme.css\""), "\(path)")
                guard path != "/ops" else { continue }
                #expect(page.contains("class=\"brand\" href=\"/\" dir=\"auto\">\(escaped)</a>"), "\(path)")
                #expect(page.contains("<a href=\"https://club.example/imprint?a=1&amp;b=2\">Imprint</a>"), "\(path)")
                #expect(page.contains("<a href=\"/terms\">Terms</a>") && !page.contains("Privacy"), "\(path)")
            }
            let home = try await service.tcpClient.get("/all").text
            #expect(home.contains("<meta property=\"og:site_name\" content=\"\(escaped)\">"))
            #expect(home.contains("content=\"Photos of &quot;us&quot; &amp; &lt;others&gt;\""))
            let atom = try await service.tcpClient.get("/feed.atom").text
            #expect(atom.contains("<title>\(XMLText.escape(Self.name)) · Newest posts</title>"))
            #expect(atom.contains("<icon>http://127.0.0.1:\(service.tcpPort)/page/icon-32.png?v="))
            let parser = XMLParser(data: Data(atom.utf8))
            #expect(parser.parse())
            let feed = try await service.tcpClient.get("/feed.jsonfeed").json
            #expect(feed["title"].string == "\(Self.name) · Newest posts")
            #expect(feed["description"].string == "Photos of \"us\" & <others>")
            let origin = "http://127.0.0.1:\(service.tcpPort)"
            let embedded = try await service.tcpClient.get("/oembed?url=\(origin)/posts/\(id)").json
            #expect(embedded["provider_name"].string == Self.name)
        }
    }

    @Test("The manifest names existing icons of the sizes that it says, and is sent again only when it has changed")
    func manifest() async throws {
        let site = Self.site()
        try await withService(changeServer: { $0.site = site }) { service in
            let answer = try await service.tcpClient.get("/manifest.webmanifest")
            #expect(answer.status == 200 && answer.headers[.contentType] == "application/manifest+json")
            let manifest = answer.json
            #expect(manifest["name"].string == Self.name && manifest["short_name"].string == "<script>\"'&</title>]]>")
            #expect(manifest["start_url"].string == "/" && manifest["scope"].string == "/")
            #expect(manifest["display"].string == "standalone" && manifest["lang"].string == "en")
            #expect(manifest["theme_color"].string == site.value.accent?.light)
            #expect(manifest["background_color"].string == SiteIcon.background)
            let icons = manifest["icons"].array
            #expect(icons.map { $0["purpose"].string } == ["any", "any", "any", "maskable", "maskable"])
            for icon in icons {
                let picture = try await service.tcpClient.get(try #require(icon["src"].string))
                #expect(picture.status == 200 && picture.headers[.contentType] == icon["type"].string)
                let size = try ImageHeader.read(picture.body.span).size
                #expect("\(size.width)x\(size.height)" == icon["sizes"].string)
            }
            for path in ["/manifest.webmanifest", "/v1/site", "/page/theme.css", "/favicon.ico", "/page/icon-180.png"] {
                let first = try await service.tcpClient.get(path)
                let headers: HTTPFields = [.ifNoneMatch: try #require(first.headers[.eTag])]
                let again = try await service.tcpClient.get(path, headers: headers)
                #expect(again.status == 304 && again.body.isEmpty, "\(path)")
            }
            let tag = try #require(answer.headers[.eTag])
            var renamed = site.value
            renamed.name = "Klasse 7b"
            site.adopt(renamed)
            let after = try await service.tcpClient.get("/manifest.webmanifest", headers: [.ifNoneMatch: tag])
            #expect(after.status == 200 && after.json["short_name"].string == "Klasse 7b")
            #expect(try await service.tcpClient.get("/page/icon-31.png").status == 404)
        }
    }

    @Test("Apps read the name, the colours, the icons and complete addresses without signing in")
    func document() async throws {
        try await withService(changeServer: { $0.site = Self.site { $0.language = .german } }) { service in
            let site = try await service.tcpClient.get("/v1/site").json
            let origin = "http://127.0.0.1:\(service.tcpPort)"
            #expect(site["name"].string == Self.name && site["language"].string == "de")
            #expect(site["accent"]["dark"].string == "#ffff00" && site["accent"]["light"].string != "#ffff00")
            #expect(site["links"]["imprint"].string == "https://club.example/imprint?a=1&b=2")
            #expect(site["links"]["terms"].string == "\(origin)/terms" && site["links"]["privacy"] == .null)
            for icon in site["icons"].array {
                let address = try #require(icon["src"].string)
                #expect(address.hasPrefix(origin))
                #expect(try await service.tcpClient.get(String(address.dropFirst(origin.count))).status == 200)
            }
            let theme = try await service.tcpClient.get("/page/theme.css")
            #expect(theme.headers[.contentType] == "text/css; charset=utf-8" && theme.text.contains("--accent:#ffff00"))
        }
    }

    @Test("A chosen language is that of all pages, whatever the browser prefers and the reader has chosen")
    func language() async throws {
        try await withService(changeServer: { $0.site = Self.site { $0.language = .german } }) { service in
            for path in ["/all", "/account", "/ops"] {
                let headers: HTTPFields = [.acceptLanguage: "en", .cookie: "lang=en"]
                let page = try await service.tcpClient.get(path, headers: headers).text
                #expect(page.contains("<html lang=\"de\">"), "\(path)")
            }
            #expect(try await service.tcpClient.get("/manifest.webmanifest").json["lang"].string == "de")
            #expect(try await service.tcpClient.get("/page/account-texts.de.js").text.contains("Dein Konto"))
        }
    }

    @Test("The policy of pages allows the manifest of the service, and no other")
    func policy() async throws {
        try await withService { service in
            for path in ["/all", "/ops", "/account"] {
                let policy = try await service.tcpClient.get(path).headers[.contentSecurityPolicy] ?? ""
                #expect(policy.contains("manifest-src 'self';") && !policy.contains("unsafe"), "\(path)")
            }
        }
    }
}
