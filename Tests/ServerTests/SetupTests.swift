import Access
import Client
import Foundation
import HTTPTypes
import Model
import Requests
import Server
import TestSupport
import Testing
import Tree

@testable import Service

@Suite("The first setup, by its page and its route", .timeLimit(.minutes(20)))
struct SetupTests {
    private static let code = "AAAAAAAAAAAAAAAAAAAAAA"
    private static let browser: HTTPFields = [.accept: "text/html"]
    private static let order =
        #""preset":"members","email":"ann@example.com","password":"sesame!""#

    /// Runs a body with a new service that nobody has set up, at `photos.example`.
    ///
    /// - Parameter isPerson: Whether a user of this machine is a person; nil for the service's own rule. The user who runs
    ///   the tests, who may be root, is one by default.
    private func withNewService(
        isPerson: (@Sendable (UInt32) -> Bool)? = { $0 == geteuid() }, _ body: @Sendable (Service) async throws -> Void
    ) async throws {
        try await withService(changeServer: { settings in
            settings.firstRun = isPerson.map { FirstRun(code: Self.code, isPerson: $0) } ?? FirstRun(code: Self.code)
        }) { service in
            try await service.tree.setRules(DefaultRules.database)
            try await body(service)
        }
    }

    private func setUp(
        _ service: Service, _ body: String = "{\(order)}", _ headers: HTTPFields = [:]
    ) async throws -> Answer {
        var headers = headers
        headers[.contentType] = headers[.contentType] ?? "application/json"
        return try await service.tcpClient.ask(.post, "/v1/setup", headers: headers, body: .bytes(Array(body.utf8)))
    }

    private func page(_ service: Service, _ path: String, _ headers: HTTPFields = browser) async throws -> Answer {
        try await service.tcpClient.get(path, headers: headers)
    }

    /// A header field of a proxy on the same machine, which behind-proxy does not name.
    private func forwarded() throws -> HTTPFields {
        [try #require(HTTPField.Name("X-Forwarded-For")): "203.0.113.9", .accept: "text/html"]
    }

    @Test("A browser on this machine is led to the setup, which makes an admin and closes the service; then it is gone")
    func life() async throws {
        try await withNewService { service in
            let first = try await page(service, "/")
            #expect(first.status == 303 && first.headers[.location] == "/setup", "\(first.text)")
            let shown = try await page(service, "/setup")
            #expect(shown.status == 200 && shown.text.contains("Set up this service"), "\(shown.text)")
            #expect(shown.text.contains("data-local"))
            let done = try await setUp(service)
            #expect(done.status == 200 && done.json["admin"].string == "created", "\(done.text)")
            #expect(done.json["rules"].string == "changed" && done.json["is_new"].bool == true, "\(done.text)")
            #expect(done.headers[.cacheControl] == "no-store" && !done.text.contains("sesame!"))
            let account = try await service.tcpClient.ask(
                .post, "/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=x",
                body: .bytes(Array(#"{"email":"ann@example.com","password":"sesame!"}"#.utf8)))
            #expect(account.status == 200 && account.json["displayName"].string == "Ann", "\(account.text)")
            #expect(try await service.tree.rules() == RulesPreset.members.marked(RulesPreset.members.database))
            #expect(try await page(service, "/").text.contains("data-closed"))
            // The answers are those of addresses that never existed.
            let again = try await setUp(service, "{\(Self.order),\"code\":\"\(Self.code)\"}")
            let never = try await service.tcpClient.ask(
                .post, "/v1/never", headers: [.contentType: "application/json"], body: .bytes(Array("{}".utf8)))
            #expect(again.status == 404 && again.json["detail"].string == never.json["detail"].string, "\(again.text)")
            let gone = try await page(service, "/setup")
            let unknown = try await page(service, "/never")
            #expect(gone.status == 200 && gone.text == unknown.text, "the form for signing in")
        }
    }

    @Test("Others need the code of the log; wrong codes get what an unknown address gets, and then have to wait")
    func code() async throws {
        try await withNewService { service in
            let away = try forwarded()
            #expect(try await page(service, "/", away).status == 200, "others see what they saw before")
            #expect(try await setUp(service, "{\(Self.order)}", away).status == 404)
            for body in ["{}", "[", "{\(Self.order),\"code\":\"x\"}", "{\(Self.order),\"code\":1}"] {
                #expect(try await setUp(service, body, away).status == 404, "\(body)")
            }
            var statuses: Set<Int> = []
            for _ in 0..<60 {
                statuses.insert(try await setUp(service, "{\(Self.order),\"code\":\"x\"}", away).status)
                if statuses.contains(429) { break }
            }
            #expect(statuses == [404, 429])
            let right = "{\(Self.order),\"code\":\"\(Self.code)\"}"
            #expect(try await setUp(service, right, away).status == 200, "guesses of others do not keep the owner out")
            #expect(try await setUp(service, right, away).status != 200, "the code is used up")
        }
    }

    @Test("The clients of another service on this machine need the code, although they seem to be here")
    func hiddenProxy() async throws {
        try await withNewService(isPerson: { $0 != geteuid() }) { service in
            let first = try await page(service, "/")
            #expect(first.status == 200, "it is not led to the setup")
            #expect(try await !page(service, "/setup").text.contains("data-local"))
            #expect(try await setUp(service).status == 404)
            #expect(try await setUp(service, "{\(Self.order),\"code\":\"\(Self.code)\"}").status == 200)
        }
    }

    @Test(
        "People may set it up without the code; root and system users may not, even the service's own",
        arguments: [
            (1000 as UInt32, true), (60_513, true), (0, false), (33, false), (999, false), (60_514, false),
            (61_184, false), (65_534, false), (100_033, false),
        ])
    func people(user: UInt32, isPerson: Bool) {
        #expect(FirstRun.isPerson(user) == isPerson)
    }

    @Test("The user whom the service runs as needs the code, too, unless it is that of a person")
    func ownUser() async throws {
        let isPerson = FirstRun.isPerson(geteuid())
        try await withNewService(isPerson: nil) { service in
            #expect(try await page(service, "/").status == (isPerson ? 303 : 200))
            #expect(try await page(service, "/setup").text.contains("data-local") == isPerson)
            if !isPerson { #expect(try await setUp(service).status == 404) }
            let answer = try await setUp(service, "{\(Self.order),\"code\":\"\(Self.code)\"}")
            #expect(answer.json["admin"].string == "created", "\(answer.text)")
        }
    }

    @Test("No page of another origin, and no other name of this machine, reaches the setup")
    func foreign() async throws {
        try await withNewService { service in
            let fetchSite = try #require(HTTPField.Name("Sec-Fetch-Site"))
            let rows: [HTTPFields] = [
                [.origin: "https://evil.example"], [fetchSite: "cross-site"], [fetchSite: "same-site"],
                [.origin: "null"], [.contentType: "text/plain"],
            ]
            for headers in rows {
                let answer = try await setUp(service, "{\(Self.order)}", headers)
                #expect([403, 404].contains(answer.status), "\(headers): \(answer.text)")
            }
            #expect(try await setUp(service).json["admin"].string == "created", "none of them had an effect")
        }
    }

    @Test("An allowed origin may use the service, and not set it up")
    func allowedOrigin() async throws {
        try await withService(changeServer: { settings in
            settings.firstRun = FirstRun(code: Self.code, isPerson: { $0 == geteuid() })
            settings.allowedOrigins = .any
        }) { service in
            try await service.tree.setRules(DefaultRules.database)
            let answer = try await setUp(service, "{\(Self.order)}", [.origin: "https://app.example"])
            #expect(answer.status == 403 && answer.json["code"].string == "cross_site", "\(answer.text)")
        }
    }

    @Test("An order that is not complete or not valid changes nothing, and the setup stays open")
    func invalid() async throws {
        try await withNewService { service in
            for body in [
                "{}", #"{"preset":"members"}"#, #"{"preset":"x","email":"a@example.com","password":"sesame!"}"#,
                #"{"preset":"members","email":"x","password":"sesame!"}"#,
                #"{"preset":"members","email":"a@example.com","password":"x"}"#, "{\(Self.order),\"x\":1}",
                #"{"preset":"members","email":"a@example.com","password":""}"#,
            ] {
                let answer = try await setUp(service, body)
                #expect(answer.status == 400, "\(body): \(answer.text)")
            }
            #expect(try await service.tree.rules() == DefaultRules.database)
            #expect(try await page(service, "/setup").status == 200)
        }
    }

    @Test("Somebody with an account, or rules of one's own, ends the first setup; posts only end the way to it")
    func whenItEnds() async throws {
        try await withNewService { service in
            _ = try await service.client.post("Hello")
            #expect(try await page(service, "/").status == 200)
            #expect(try await page(service, "/setup").status == 200)
            try await service.tree.setRules(RulesPreset.public.marked(RulesPreset.public.database))
            #expect(try await page(service, "/setup").status == 404)
            try await service.tree.setRules(DefaultRules.database)
            #expect(try await page(service, "/setup").status == 200)
            let made = try await service.tcpClient.ask(
                .post, "/identitytoolkit.googleapis.com/v1/accounts:signUp?key=x", body: .bytes(Array("{}".utf8)))
            #expect(made.status == 200, "\(made.text)")
            #expect(try await page(service, "/setup").status == 404)
            #expect(try await setUp(service).status == 404)
        }
    }

    @Test("One of many at once sets the service up")
    func race() async throws {
        try await withNewService { service in
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        let body = Self.order.replacing("ann@", with: "ann\(number)@")
                        return try await setUp(service, "{\(body)}").status
                    }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.filter { $0 == 200 }.count == 1 && statuses.filter { $0 == 404 }.count == 7, "\(statuses)")
            #expect(try await service.tree.get(AccountNodes.count()) == .integer(1))
            #expect(try await service.tree.get(AccountNodes.setup()) == nil)
        }
    }

    @Test("The owner sets up at any time: an account gets the claim once, and an invitation is made once")
    func owner() async throws {
        try await withNewService { service in
            func order(_ body: String, _ query: String = "") async throws -> JSON {
                let answer = try await service.client.ask(
                    .post, "/v1/setup\(query)", headers: [.contentType: "application/json"],
                    body: .bytes(Array(body.utf8)))
                #expect(answer.status == 200, "\(body): \(answer.text)")
                return answer.json
            }
            let plan = try await order("{\(Self.order)}", "?dry_run=true")
            #expect(plan["admin"].string == "created" && plan["rules"].string == "changed")
            #expect(try await service.tree.rules() == DefaultRules.database, "a dry run changes nothing")
            #expect(try await order("{}")["rules"].string == "kept")
            let invited = try await order(#"{"email":"bob@example.com"}"#)
            #expect(invited["admin"].string == "invited" && invited["invitation"]["code"].string != nil)
            let again = try await order(#"{"email":"bob@example.com"}"#)
            #expect(again["admin"].string == "invited_before" && again["invitation"]["code"].string == nil)
            let made = try await service.client.ask(
                .post, "/identitytoolkit.googleapis.com/v1/projects/\(service.authority.project)/accounts",
                body: .bytes(Array(#"{"localId":"ann","email":"ann@example.com","password":"secret!"}"#.utf8)))
            #expect(made.status == 200, "\(made.text)")
            for admin in ["promoted", "unchanged"] {
                let outcome = try await order("{\(Self.order)}")
                #expect(outcome["admin"].string == admin && outcome["uid"].string == "ann")
            }
        }
    }
}
