import API
import Client
import Foundation
import HTTPTypes
import Rules
import Service
import TestSupport
import Testing
import Tree
import TreeModel

@testable import Requests

@Suite("Pages written by the service", .timeLimit(.minutes(20)))
struct PageTests {
    /// Texts that would be code if they were parsed as markup; a combining mark changes what a character looks like.
    static let hostile = [
        #"</p><script>alert(1)</script>"#, #""><img src=x onerror=alert(1)>"#, "\"\u{301} onmouseover=alert(1) x=\"",
        "<\u{338}b>", "'\u{301} onload='alert(1)", "]]>&lt;{{name}}{{{text}}}",
    ]

    private func put(_ path: String, _ value: JSONValue, _ service: Service) async throws {
        let answer = try await service.client.ask(.put, "/\(path).json", body: .bytes(value.json()))
        #expect(answer.status == 200, "\(answer.text)")
    }

    /// Returns the quoted values of an attribute, wherever it is.
    private func attributes(_ name: String, _ text: String) -> [String] {
        text.split(separator: " \(name)=\"").dropFirst().map { String($0.prefix { $0 != "\"" }) }
    }

    @Test("Posts are readable without scripts, in the pages that scripts read: home, all, a person's, a hashtag's, one")
    func reading() async throws {
        try await withService { service in
            try await service.setDefaultRules()
            let photo = try await service.client.post(try fixture("size-97x61.jpg"))["post_id"].string ?? ""
            let text = try await service.client.post("At%20the%20%23lake") ?? ""
            for path in ["/", "/all", "/people/maria", "/tags/lake", "/posts/\(text)", "/posts/\(photo)"] {
                let answer = try await service.tcpClient.get(path)
                #expect(answer.status == 200 && answer.headers[.contentType] == "text/html; charset=utf-8", "\(path)")
                let isOfText = path != "/posts/\(photo)"
                #expect(answer.text.contains("<li data-id=\"\(text)\"") == isOfText, "\(path)")
                let words = "At the <a href=\"/tags/lake\">#lake</a>"
                #expect(answer.text.contains(words) == isOfText, "\(path)")
                let isOfPhoto = !path.contains("lake") && path != "/posts/\(text)"
                #expect(answer.text.contains("srcset=\"/media/maria/\(photo)/") == isOfPhoto, "\(path)")
                #expect(!answer.text.contains("{{"), "\(path)")
            }
        }
    }

    @Test(
        "A photo is loaded in the size it needs: lists keep large sizes for scripts, and one photo is loaded at once"
    )
    func photos() async throws {
        try await withService { service in
            try await service.setDefaultRules()
            let photo = try Fixture.bytes("photo.jpg")
            let id = try #require(try await service.client.post(photo)["post_id"].string)
            _ = try await service.client.post(photo)
            func widths(_ name: String, _ page: String) -> [[String]] {
                attributes(name, page).map { sources in
                    sources.split(separator: ", ").map { String($0.drop { $0 != " " }.dropFirst()) }
                }
            }
            let list = try await service.tcpClient.get("/all").text
            #expect(widths("srcset", list) == [["320w", "640w", "960w"], ["320w", "640w", "960w"]])
            #expect(widths("data-larger", list) == [["1280w"], ["1280w"]])
            #expect(attributes("loading", list) == ["lazy"])
            #expect(attributes("fetchpriority", list) == ["high", "low"], "the scripts, and the second photo")
            let post = try await service.tcpClient.get("/posts/\(id)").text
            #expect(widths("srcset", post) == [["320w", "640w", "960w", "1280w"]])
            #expect(widths("data-larger", post).isEmpty && attributes("loading", post).isEmpty)
        }
    }

    @Test("A page links to the one before it, and a post is in one page alone")
    func pages() async throws {
        try await withService { service in
            try await service.setDefaultRules()
            var expected: [String] = []
            for number in 0..<30 { expected.insert(try await service.client.post("p\(number)") ?? "", at: 0) }
            var (seen, path): ([String], String?) = ([], "/all")
            while let address = path {
                let page = try await service.tcpClient.get(address).text
                seen += attributes("data-id", page)
                path =
                    page.contains("rel=\"next\"")
                    ? "/all" + (attributes("href", page).last { $0.hasPrefix("?") } ?? "") : nil
            }
            #expect(seen == expected)
            #expect(try await service.tcpClient.get("/all?before=nonsense").status == 404)
        }
    }

    @Test("Texts of users stay texts, in pages and in their descriptions", arguments: PageTests.hostile)
    func hostileTexts(text: String) async throws {
        try await withService { service in
            try await service.setDefaultRules()
            let author: JSONValue = [
                "uid": "eve", "full_name": .string(text), "profile_picture": .string("//evil.example/x"),
            ]
            let rendition: JSONValue = ["url": .string("https://evil.example\(text)"), "width": 10, "height": 10]
            let photo: JSONValue = [
                "width": 10, "height": 10, "alt": .string(text), "color": .string(text), "placeholder": .string(text),
                "renditions": ["full": ["url": "/media/eve/a.jpg", "width": 10, "height": 10], "other": rendition],
            ]
            let id = "-P6xJd7DkF0an8Cy0qLh"
            try await put("people/eve", ["full_name": .string(text), "bio": .string(text)], service)
            try await put(
                "posts/\(id)", ["author": author, "text": .string(text), "timestamp": 1, "photos": ["0": photo]],
                service)
            try await put(
                "comments/\(id)/c", ["author": author, "text": .string(text), "timestamp": 1], service)
            let query = PercentEncoding.encode(text.utf8)
            for path in ["/", "/people/eve", "/posts/\(id)", "/search?q=\(query)"] {
                let answer = try await service.tcpClient.get(path)
                #expect(answer.status == 200, "\(path)")
                // In bytes, as a browser parses them.
                let scalars = answer.text.unicodeScalars
                let tags = scalars.split(separator: "<").dropFirst().map { String($0.prefix { $0 != ">" }) }
                for tag in tags {
                    let first = tag.unicodeScalars.first ?? " "
                    #expect(
                        first.properties.isAlphabetic && first.isASCII || first == "/" || first == "!",
                        "\(path): \(tag)")
                    // Outside quotation marks.
                    let bare = tag.unicodeScalars.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
                        .filter { $0.offset.isMultiple(of: 2) }.map { String($0.element) }.joined()
                    #expect(!bare.contains("alert") && !bare.contains("onload"), "\(path): \(tag)")
                }
                #expect(!answer.text.contains("//evil.example"), "\(path)")
            }
        }
    }

    @Test("Pages contain neither what the rules forbid nor posts for audiences")
    func forbidden() async throws {
        try await withService { service in
            try await service.setDefaultRules()
            try await service.addPeople("ann")
            let made = try await service.ask(.put, "/v1/audiences/crew", as: "ann", #"{"name":"Crew","kind":"class"}"#)
            #expect(made.status == 201, "\(made.text)")
            let posted = try await service.client.ask(.post, "/v1/uploads?user=ann&audiences=crew&text=secret")
            let id = posted.json["post_id"].string ?? ""
            for client in [service.client, service.tcpClient] {
                let page = try await client.get("/posts/\(id)")
                // A member's browser sends the request again with a token.
                #expect(page.status == 404 && !page.text.contains("secret") && page.text.contains("signed in"))
                #expect(page.text.contains("data-view=\"post\"") && page.text.contains("noindex"))
            }
            #expect(
                try await service.tcpClient.get("/oembed?url=http://127.0.0.1:\(service.tcpPort)/posts/\(id)").status
                    == 404)
            _ = try await service.client.post("shown", by: "ann")
            try await service.tree.setRules(#"{"rules": {".read": false, ".write": false}}"#)
            for path in ["/", "/people/ann", "/tags/x", "/search?q=an"] {
                let page = try await service.tcpClient.get(path)
                #expect(page.status == 200 && !page.text.contains("shown") && page.text.contains("sign in"), "\(path)")
            }
            #expect(try await service.tcpClient.get("/feed.atom").status == 401)
        }
    }

    @Test("A service without posts says so, by its name and without commands")
    func empty() async throws {
        try await withService { service in
            try await service.setDefaultRules()
            for client in [service.client, service.tcpClient] {
                let page = try await client.get("/").text
                #expect(page.contains("No posts yet") && page.contains("Nobody has posted in Tintype yet."), "\(page)")
                #expect(!page.contains("<pre>") && !page.contains("data-local"), "\(page)")
            }
        }
    }

    @Test("A missing page is reported by a page for people")
    func missing() async throws {
        try await withService { service in
            try await service.setDefaultRules()
            for path in [
                "/people/nobody", "/people/no%20body", "/posts/x", "/posts/-P6xJd7DkF0an8Cy0qLh", "/tags/1", "/nothing",
            ] {
                let answer = try await service.tcpClient.get(path, headers: [.accept: "text/html"])
                #expect(answer.status == 404 && answer.text.hasPrefix("<!doctype html>"), "\(path)")
            }
            let program = try await service.tcpClient.get("/nothing")
            #expect(program.text.contains("append .json"))
            #expect(try await service.tcpClient.get("/page/nothing.js").status == 404)
            #expect(try await service.tcpClient.get("/page.js").status == 404)
        }
    }

    @Test("A link to a post has a preview with the public address")
    func sharing() async throws {
        try await withService(changeServer: { $0.publicURL = PublicURL("https://photos.example") }) { service in
            try await service.setDefaultRules()
            let id = try await service.client.post(try fixture("size-97x61.jpg"))["post_id"].string ?? ""
            let page = try await service.client.get("/posts/\(id)").text
            #expect(page.contains("<link rel=\"canonical\" href=\"https://photos.example/posts/\(id)\">"))
            #expect(page.contains("property=\"og:image\" content=\"https://photos.example/"))
            #expect(page.contains("property=\"og:image:width\" content=\"97\""))
            #expect(page.contains("type=\"application/json+oembed\""))
            // The page loads its files from its own host.
            #expect(attributes("src", page).allSatisfy { $0.hasPrefix("/") && !$0.hasPrefix("//") })
        }
    }
}
