import Accounts
import Client
import HTTPTypes
import Model
import TestSupport
import Testing
import Tree

@testable import Service

@Suite("Pages of a closed service", .timeLimit(.minutes(20)))
struct ClosedPageTests {
    private static let browser: HTTPFields = [.accept: "text/html"]

    /// Runs a body with a service for members in which maria has posted.
    private func withClosed(_ body: @Sendable (Service, _ post: String) async throws -> Void) async throws {
        try await withService { service in
            try await service.set(.public)
            try await service.addPeople("maria")
            let post = try await service.client.post("At%20the%20%23lake")
            try await service.set(.members)
            try await body(service, try #require(post))
        }
    }

    @Test("Strangers get one page for signing in at every address, whether something is there or not")
    func same() async throws {
        try await withClosed { service, post in
            let first = try await service.tcpClient.get("/", headers: Self.browser)
            for path in [
                "/", "/all", "/people/maria", "/people/nobody", "/people/no%20body", "/posts/\(post)",
                "/posts/-P6xJd7DkF0an8Cy0qLh", "/posts/x", "/tags/lake", "/tags/1", "/tags/none", "/search?q=maria",
                "/search?q=nobody", "/notifications", "/nothing", "/a/b/c",
            ] {
                for uid in ["", "guest"] {
                    var headers = try service.senderHeaders(of: uid)
                    headers[.accept] = "text/html"
                    let answer = try await service.tcpClient.get(path, headers: headers)
                    #expect(answer.status == 200 && answer.text == first.text, "\(path) \(uid)")
                    #expect(answer.headers[.named("x-robots-tag")] == "noindex, nofollow", "\(path)")
                    #expect(answer.headers[.cacheControl] == "private, no-cache", "\(path)")
                }
            }
        }
    }

    @Test("The page has what it takes to sign in, and nothing for search engines, feed readers and previews")
    func content() async throws {
        try await withClosed { service, post in
            let page = try await service.tcpClient.get("/posts/\(post)", headers: Self.browser).text
            for part in [
                "<h1>Tintype</h1>", "This is for members.",
                "<noscript><p>Scripts are needed to sign in.</p></noscript>",
                "name=\"robots\" content=\"noindex\"", " data-closed data-stranger", "/page/gallery.en.js?v=",
            ] {
                #expect(page.contains(part), "\(part)")
            }
            for part in ["og:", "rel=\"alternate\"", "rel=\"canonical\"", "lake", "maria", post, "{{"] {
                #expect(!page.contains(part), "\(part)")
            }
            let german = try await service.tcpClient.get("/", headers: [.acceptLanguage: "de"]).text
            #expect(german.contains("Das hier ist für Mitglieder.") && german.contains("Zum Anmelden"))
        }
    }

    @Test("Pages offer strangers the ways in that there are at present, also after a change, and open connections stay")
    func waysIn() async throws {
        try await withClosed { service, _ in
            let accounts = try #require(service.server.accounts).service
            let rows: [(ways: SignUpMethods, parts: [String])] = [
                (.all, ["data-sign-up=\"email\""]), (.invitation, ["data-sign-up=\"invitation\""]),
                ([.invitation, .request], ["data-sign-up=\"invitation\"", "data-requests"]), ([], []), (.anonymous, []),
                ([.email, .invitation], ["data-sign-up=\"email\""]),
            ]
            for preset in [RulesPreset.members, .public] {
                try await service.set(preset)
                for row in rows {
                    accounts.adopt(row.ways)
                    for path in ["/", "/all", "/join", "/posts/x", "/nothing"] {
                        let page = try await service.tcpClient.get(path, headers: Self.browser).text
                        for part in ["data-sign-up=\"email\"", "data-sign-up=\"invitation\"", "data-requests"] {
                            #expect(
                                page.contains(part) == row.parts.contains(part), "\(row) \(preset) \(path): \(part)")
                        }
                    }
                }
            }
            let body = #"{"email":"ann@example.com","password":"sesame!"}"#
            let listener = try await WireClient(service, overTCP: true)
            #expect(try await listener.answer("q", #"{"p":"/people","h":""}"#).count == 2)
            for (ways, status) in [(SignUpMethods.invitation, 400), ([], 400), (.email, 200)] {
                accounts.adopt(ways)
                let answer = try await service.tcpClient.ask(
                    .post, "/identitytoolkit.googleapis.com/v1/accounts:signUp?key=x", body: .bytes(Array(body.utf8)))
                #expect(answer.status == status, "\(ways): \(answer.text)")
            }
            #expect(try await listener.answer("g", #"{"p":"/people/maria"}"#).last?.contains(#""ok""#) == true)
            await listener.close()
        }
    }

    @Test("A request with proof gets the page itself, without feeds and previews")
    func members() async throws {
        try await withClosed { service, post in
            for path in ["/", "/posts/\(post)", "/people/maria"] {
                let page = try await service.tcpClient.get(path, headers: try service.headers(of: "maria"))
                #expect(page.status == 200 && page.text.contains("lake"), "\(path)")
                #expect(page.text.contains("noindex") && !page.text.contains("data-stranger"), "\(path)")
                #expect(!page.text.contains("og:") && !page.text.contains("rel=\"alternate\""), "\(path)")
                #expect(page.headers[.named("x-robots-tag")] == "noindex, nofollow", "\(path)")
            }
        }
    }

    @Test("Programs get an error for an address that does not exist, and files of pages are for everybody")
    func programs() async throws {
        try await withClosed { service, _ in
            for (path, status) in [("/nothing", 404), ("/page/gallery.en.js", 200), ("/account", 200)] {
                let answer = try await service.tcpClient.get(path)
                #expect(answer.status == status, "\(path)")
            }
        }
    }

    @Test("robots.txt follows the rules: nothing of a closed service, and of an open one no programs' addresses")
    func robots() async throws {
        try await withClosed { service, _ in
            let closed = try await service.tcpClient.get("/robots.txt")
            #expect(closed.text == "User-agent: *\nDisallow: /\n", "\(closed.text)")
            #expect(closed.headers[.contentType] == "text/plain; charset=utf-8")
            for preset in [RulesPreset.public, .classroom, .public] {
                try await service.set(preset)
                let lines = try await service.tcpClient.get("/robots.txt").text.split(separator: "\n")
                #expect(lines.contains("Disallow: /") == (preset != .public), "\(preset)")
                #expect(lines.contains("Disallow: /v1/") == (preset == .public), "\(preset)")
                let page = try await service.tcpClient.get("/", headers: Self.browser)
                #expect(page.text.contains("data-closed") == (preset != .public), "\(preset)")
                #expect(page.text.contains("data-stories") == (preset == .classroom), "\(preset)")
                #expect((page.headers[.named("x-robots-tag")] == nil) == (preset == .public), "\(preset)")
            }
        }
    }

    @Test("Whether a service is closed follows data, too, if its rules look at data")
    func data() async throws {
        try await withClosed { service, _ in
            try await service.tree.setRules(
                #"{"rules": {"posts": {".read": "root.child('isOpen').val() === true"}, "people": {".read": true}}}"#)
            func isClosed() async throws -> Bool {
                try await service.tcpClient.get("/robots.txt").text.hasSuffix("Disallow: /\n")
            }
            #expect(try await isClosed())
            try await service.tree.set("isOpen", to: true)
            #expect(try await !isClosed())
            try await service.tree.set("isOpen", to: nil)
            #expect(try await isClosed())
        }
    }
}
