import Client
import Foundation
import HTTPTypes
import Service
import TestSupport
import Testing
import TreeModel

@testable import Gallery
@testable import Requests

@Suite("Feeds for feed readers, and embedded posts", .timeLimit(.minutes(20)))
struct SyndicationTests {
    private static let allowed = "https://blog.example"

    /// Returns the texts of the elements with a name.
    private func elements(_ name: String, _ text: String) -> [String] {
        text.split(separator: "<\(name)>").dropFirst().map { String($0.prefix { $0 != "<" }) }
    }

    @Test("A feed has the newest posts with pictures and texts, at absolute addresses")
    func feeds() async throws {
        for url in ["https://photos.example", nil] {
            try await withService(changeServer: { $0.publicURL = url.flatMap { PublicURL($0) } }) { service in
                try await service.setDefaultRules()
                try await service.setDefaultRules()
                _ = try await service.client.post("words%20%23lake")
                _ = try await service.client.post(try fixture("size-97x61.jpg"))
                let origin = url ?? "http://127.0.0.1:\(service.tcpPort)"
                for path in ["", "/people/maria", "/tags/lake"] {
                    let atom = try await service.tcpClient.get("\(path)/feed.atom")
                    #expect(atom.status == 200 && atom.headers[.contentType] == "application/atom+xml; charset=utf-8")
                    #expect(atom.text.contains("href=\"\(origin)\(path)/feed.atom\""), "\(atom.text)")
                    let feed = try await service.tcpClient.get("\(path)/feed.jsonfeed")
                    #expect(feed.headers[.contentType] == "application/feed+json")
                    #expect(feed.json["version"].string == "https://jsonfeed.org/version/1.1")
                    let items = feed.json["items"].array
                    #expect(items.count == (path == "/tags/lake" ? 1 : 2))
                    #expect(items.map { $0["id"].string } == Array(elements("id", atom.text).dropFirst()))
                    #expect(items.last?["content_html"].string?.contains("\(origin)/tags/lake") == true)
                    guard path.isEmpty else { continue }
                    let attachment = try #require(items.first)["attachments"][0]
                    let size = try #require(attachment["size_in_bytes"].int)
                    #expect(attachment["mime_type"].string == "image/jpeg")
                    #expect(atom.text.contains("length=\"\(size)\"") && atom.text.contains("rel=\"enclosure\""))
                    let address = try #require(attachment["url"].string)
                    let photo = try await service.tcpClient.get(String(address.dropFirst(origin.count)))
                    #expect(photo.status == 200 && photo.body.count == size)
                }
            }
        }
    }

    @Test("A post has one id, whatever the host, and it is a UUID")
    func ids() {
        let id = Syndication.id(ofPost: "-P6xJd7DkF0an8Cy0qLh")
        #expect(id.hasPrefix("urn:uuid:") && UUID(uuidString: String(id.dropFirst(9))) != nil)
        #expect(Syndication.id(ofPost: "-P6xJd7DkF0an8Cy0qLi") != id)
    }

    @Test("A feed links to earlier posts, and is sent again only when it has changed")
    func paging() async throws {
        try await withService { service in
            try await service.setDefaultRules()
            for number in 0..<33 { _ = try await service.client.post("p\(number)") }
            let first = try await service.tcpClient.get("/feed.jsonfeed")
            let next = try #require(first.json["next_url"].string)
            let second = try await service.tcpClient.get("/feed.jsonfeed\(next.drop { $0 != "?" })")
            let texts = (first.json["items"].array + second.json["items"].array).map { $0["content_text"].string }
            #expect(texts == (0..<33).reversed().map { "p\($0)" } && second.json["next_url"] == .null)
            let tag = try #require(first.headers[.eTag])
            let headers: HTTPFields = [.ifNoneMatch: tag]
            #expect(try await service.tcpClient.get("/feed.jsonfeed", headers: headers).status == 304)
            _ = try await service.client.post("new")
            #expect(try await service.tcpClient.get("/feed.jsonfeed", headers: headers).status == 200)
            #expect(try await service.tcpClient.get("/feed.atom?before=nonsense").status == 400)
            #expect(try await service.tcpClient.get("/people/nobody/feed.atom").status == 404)
        }
    }

    @Test(
        "XML has only its allowed characters",
        arguments: [
            ("a<b>&\"", "a&lt;b&gt;&amp;&quot;"), ("]]>", "]]&gt;"),
            ("\u{0}\u{8}\u{B}\u{1F}", "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
            ("\t\n\r", "&#9;&#10;&#13;"), ("\u{FFFE}\u{FFFF}", "\u{FFFD}\u{FFFD}"), ("👩‍👧 é", "👩‍👧 é"),
            ("<\u{338}\"\u{301}", "&lt;\u{338}&quot;\u{301}"),
        ])
    func escaping(text: String, expected: String) {
        #expect(Array(XMLText.escape(text).utf8) == Array(expected.utf8))
    }

    @Test("A page that embeds a post gets a picture that fits, or a link")
    func embedded() async throws {
        try await withService { service in
            try await service.setDefaultRules()
            let photo = try await service.client.post(try fixture("size-97x61.jpg"))["post_id"].string ?? ""
            let words = try await service.client.post("words") ?? ""
            let origin = "http://127.0.0.1:\(service.tcpPort)"
            func ask(_ id: String, _ query: String = "") async throws -> TestSupport.Answer {
                try await service.tcpClient.get("/oembed?url=\(origin)/posts/\(id)\(query)")
            }
            let whole = try await ask(photo).json
            #expect(whole["type"].string == "photo" && whole["version"].string == "1.0")
            #expect(whole["width"].int == 97 && whole["height"].int == 61 && whole["author_name"].string == "maria")
            #expect(whole["url"].string?.hasPrefix("\(origin)/media/maria/\(photo)/") == true)
            let small = try await ask(photo, "&maxwidth=50&maxheight=20&dnt=1&format=json").json
            #expect(small["width"].int ?? 99 <= 50 && small["height"].int ?? 99 <= 20)
            #expect(small["thumbnail_width"].int ?? 99 <= 50)
            #expect(try await ask(words).json["type"].string == "link")
            #expect(try await ask(photo, "&format=xml").status == 501)
            #expect(try await ask("-P6xJd7DkF0an8Cy0qLh").status == 404)
            for url in [
                "https://evil.example/posts/\(photo)", "\(origin)/people/maria", "nonsense", "file:///posts/\(photo)",
            ] {
                #expect(try await service.tcpClient.get("/oembed?url=\(url)").status == 404, "\(url)")
            }
            #expect(try await service.tcpClient.get("/oembed").status == 404)
        }
    }

    @Test("Pages of allowed origins may import the module and read the feeds; those of others may not")
    func origins() async throws {
        try await withService(changeServer: { $0.allowedOrigins = .these([Self.allowed]) }) { service in
            try await service.setDefaultRules()
            for path in ["/embed.js", "/page/embed.js", "/feed.jsonfeed", "/v1/posts"] {
                for (origin, named) in [(Self.allowed, Self.allowed), ("https://evil.example", nil)] {
                    let headers: HTTPFields = [.origin: origin]
                    let answer = try await service.tcpClient.get(path, headers: headers)
                    #expect(answer.status == 200 && answer.headers[.accessControlAllowOrigin] == named, "\(path)")
                    #expect(answer.headers[.vary]?.contains("Origin") == true, "\(path)")
                }
            }
            let module = try await service.tcpClient.get("/embed.js")
            #expect(module.headers[.named("Cross-Origin-Resource-Policy")] == "cross-origin")
            #expect(module.body.count < 6 << 10 && !module.text.contains("import "))
        }
    }
}
