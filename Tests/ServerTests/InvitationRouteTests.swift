import Access
import Accounts
import Client
import HTTPTypes
import Model
import TestSupport
import Testing
import Tree

@Suite("Invitations and requests to join, by their routes", .timeLimit(.minutes(20)))
struct InvitationRouteTests {
    /// Runs a test's body with a closed service that has the class `c`, which `maria` owns and `jan` reads.
    private func withClosedService(_ body: @Sendable (Service) async throws -> Void) async throws {
        try await withService(
            changeAccounts: { settings in
                settings.signUp = [.invitation, .request]
                settings.origin = "https://photos.example"
            }
        ) { service in
            try await service.setDefaultRules()
            try await service.addPeople("maria", "jan", "eve")
            let made = try await service.ask(
                .put, "/v1/audiences/c", as: "maria", #"{"name":"7b","kind":"class","members":{"jan":"reader"}}"#)
            #expect(made.status == 201, "\(made.text)")
            try await body(service)
        }
    }

    /// Makes an invitation as the owner of the service.
    private func invite(_ body: String, in service: Service) async throws -> Answer {
        let answer = try await service.client.ask(
            .post, "/v1/invitations", headers: [.contentType: "application/json"], body: .bytes(Array(body.utf8)))
        #expect(answer.status == 201 && answer.headers[.cacheControl] == "no-store", "\(answer.text)")
        return answer
    }

    private func signUp(_ body: String, in service: Service) async throws -> Answer {
        try await service.tcpClient.ask(
            .post, "/identitytoolkit.googleapis.com/v1/accounts:signUp?key=x", body: .bytes(Array(body.utf8)))
    }

    @Test("A code is made, checked by a stranger, used for a sign-up, listed, and gone")
    func life() async throws {
        try await withClosedService { service in
            let made = try await invite(#"{"audience":"c","role":"poster","note":"for Ann"}"#, in: service)
            let code = try #require(made.json["code"].string)
            #expect(made.json["link"].string == "http://localhost/join#\(code)")
            let body = #"{"code":"\#(code)"}"#
            let purpose = try await service.ask(.post, "/v1/invitations/check", as: nil, body)
            #expect(purpose.status == 200, "\(purpose.text)")
            #expect(purpose.json["audience_name"].string == "7b" && purpose.json["role"].string == "poster")
            #expect(purpose.json["admits"].bool == true && purpose.json["needs_address"].bool == true)
            #expect(!purpose.text.contains("for Ann"), "the note is not for strangers")
            let person = #"{"email":"ann@example.com","password":"sesame!""#
            let closed = try await signUp(person + "}", in: service)
            #expect(closed.status == 400 && closed.text.contains("OPERATION_NOT_ALLOWED"), "\(closed.text)")
            let done = try await signUp(person + #","invitation":"\#(code)"}"#, in: service)
            #expect(done.status == 200, "\(done.text)")
            let uid = try #require(done.json["localId"].string)
            let shown = try await service.ask(.get, "/v1/audiences/c", as: "maria")
            #expect(shown.json["members"][uid].string == "poster")
            let after = try await service.ask(.post, "/v1/invitations/check", as: nil, body)
            #expect(after.status == 410 && after.json["code"].string == "invitation_used_up", "\(after.text)")
            let list = try await service.client.get("/v1/invitations").json["invitations"].array
            #expect(list.count == 1 && list.first?["state"].string == "used_up" && list.first?["code"].string == nil)
        }
    }

    @Test("Owners of an audience invite to it; others do not, and see and withdraw nothing")
    func rights() async throws {
        try await withClosedService { service in
            let order = #"{"audience":"c","role":"owner","short":true}"#
            let rows: [(uid: String?, body: String, status: Int)] = [
                (nil, order, 401), ("jan", order, 403), ("eve", order, 403), ("maria", "{}", 403),
                ("maria", #"{"audience":"c","admin":true}"#, 403), ("maria", #"{"audience":"other"}"#, 403),
                ("maria", #"{"audience":"c","uses":0}"#, 400), ("maria", #"{"audience":"c","role":"king"}"#, 400),
                ("maria", #"{"audience":"c","uses":"many"}"#, 400), ("maria", #"{"audience":"c","x":1}"#, 400),
                ("maria", #"{"audience":"c","note":"a\nb"}"#, 400), ("maria", order, 201),
            ]
            for row in rows {
                let answer = try await service.ask(.post, "/v1/invitations", as: row.uid, row.body)
                #expect(answer.status == row.status, "\(row): \(answer.text)")
            }
            for (uid, count) in [("maria", 1), ("jan", 0), ("eve", 0)] {
                let list = try await service.ask(.get, "/v1/invitations", as: uid).json["invitations"].array
                #expect(list.count == count, "\(uid)")
            }
            let made = try await service.ask(.get, "/v1/invitations?audience=c", as: "maria").json["invitations"].array
            let id = try #require(made.first?["id"].string)
            #expect(try await service.ask(.delete, "/v1/invitations/\(id)", as: "eve").status == 404)
            #expect(try await service.ask(.delete, "/v1/invitations/\(id)", as: nil).status == 401)
            let withdrawn = try await service.ask(.delete, "/v1/invitations/\(id)", as: "maria")
            #expect(withdrawn.status == 200 && withdrawn.json["state"].string == "withdrawn", "\(withdrawn.text)")
        }
    }

    @Test("A signed-in person uses a code; wrong codes have errors of their own")
    func use() async throws {
        try await withClosedService { service in
            let code = try await invite(#"{"audience":"c","short":true}"#, in: service).json["code"].string ?? ""
            func use(_ code: String, as uid: String?) async throws -> Answer {
                try await service.ask(.post, "/v1/invitations/use", as: uid, #"{"code":"\#(code)"}"#)
            }
            #expect(try await use(code, as: nil).status == 401)
            let used = try await use(code.lowercased(), as: "eve")
            #expect(used.status == 200 && used.json["used"].bool == true, "\(used.text)")
            #expect(try await use(code, as: "eve").json["used"].bool == false)
            #expect(try await service.ask(.get, "/v1/audiences/c", as: "eve").json["role"].string == "reader")
            let rows = [
                ("K7QM-2XRT", 404, "invitation_unknown"), ("", 404, "invitation_unknown"),
                ("https://other.example/join#\(code)", 422, "invitation_elsewhere"),
            ]
            for (wrong, status, name) in rows {
                let answer = try await use(wrong, as: "jan")
                #expect(answer.status == status && answer.json["code"].string == name, "\(wrong): \(answer.text)")
            }
        }
    }

    @Test("Guesses of codes are refused with 429 and the time to wait")
    func guesses() async throws {
        try await withClosedService { service in
            let guess = #"{"code":"K7QM-2XRT"}"#
            for _ in 0..<20 {
                #expect(try await service.ask(.post, "/v1/invitations/check", as: nil, guess).status == 404)
            }
            let refused = try await service.ask(.post, "/v1/invitations/check", as: nil, guess)
            #expect(refused.status == 429 && refused.json["code"].string == "too_many_requests", "\(refused.text)")
            #expect(refused.headers[.retryAfter].flatMap { Int($0) } ?? 0 > 0)
        }
    }

    @Test("A request to join is approved with an invitation for its address alone, and declined without a trace")
    func requests() async throws {
        try await withClosedService { service in
            func send(_ body: String) async throws -> Answer {
                try await service.ask(.post, "/v1/join-requests", as: nil, body)
            }
            _ = try await service.client.ask(
                .post, "/identitytoolkit.googleapis.com/v1/projects/\(service.authority.project)/accounts",
                body: .bytes(Array(#"{"email":"old@example.com"}"#.utf8)))
            var texts: Set<String> = []
            for name in ["ann", "bob", "ann", "old"] {
                let answer = try await send(#"{"name":"\#(name)","email":"\#(name)@example.com","text":"Hello"}"#)
                #expect(answer.status == 202, "\(answer.text)")
                texts.insert(answer.text)
            }
            #expect(texts.count == 1, "the answers do not show which address is known")
            for bad in [
                "{}", #"{"name":"x","email":"x"}"#, #"{"name":"","email":"x@example.com"}"#,
                #"{"name":"\#(String(repeating: "x", count: 10_000))","email":"x@example.com"}"#,
            ] {
                #expect(try await send(bad).status == 400, "\(bad)")
            }
            for uid in [nil, "maria"] {
                #expect(try await service.ask(.get, "/v1/join-requests", as: uid).status == 403)
            }
            let list = try await service.client.get("/v1/join-requests").json["requests"].array
            #expect(list.map { $0["name"].string }.sorted { $0 ?? "" < $1 ?? "" } == ["ann", "bob"])
            let ids = Dictionary(
                uniqueKeysWithValues: list.map { ($0["name"].string ?? "", $0["id"].string ?? "") })
            let approved = try await service.client.ask(
                .post, "/v1/join-requests/\(ids["ann"] ?? "")/approve", headers: [.contentType: "application/json"],
                body: .bytes(Array(#"{"audience":"c"}"#.utf8)))
            #expect(approved.status == 200 && approved.json["sent"].bool == false, "\(approved.text)")
            let code = try #require(approved.json["invitation"]["code"].string)
            let other = #"{"email":"eve@example.com","password":"sesame!","invitation":"\#(code)"}"#
            #expect(try await signUp(other, in: service).text.contains("INVITATION_OF_ANOTHER_ADDRESS"))
            #expect(try await signUp(other.replacing("eve", with: "ann"), in: service).status == 200)
            #expect(try await service.client.ask(.delete, "/v1/join-requests/\(ids["bob"] ?? "")").status == 200)
            #expect(try await service.client.ask(.delete, "/v1/join-requests/\(ids["bob"] ?? "")").status == 404)
            #expect(try await service.client.get("/v1/join-requests").json["requests"].array.isEmpty)
        }
    }

    @Test("A child enters by the class code, a name and a picture; the class's owner sees, resets and removes it")
    func children() async throws {
        try await withClosedService { service in
            let order = #"{"audience":"c","short":true,"no_address":true}"#
            let made = try await service.ask(.post, "/v1/invitations", as: "maria", order)
            let code = try #require(made.json["code"].string, "\(made.text)")
            func enter(_ name: String, _ picture: String, isNew: Bool) async throws -> Answer {
                let body =
                    #"{"invitation":"\#(code)","displayName":"\#(name)","picture":"\#(picture)","isNew":\#(isNew)}"#
                return try await service.tcpClient.ask(
                    .post, "/identitytoolkit.googleapis.com/v1/accounts:signInWithClassCode?key=x",
                    body: .bytes(Array(body.utf8)))
            }
            let new = try await enter("Mia", "fish", isNew: true)
            let uid = try #require(new.json["localId"].string, "\(new.text)")
            #expect(try await enter("MIA ", "sun", isNew: true).text.contains("NAME_EXISTS"))
            #expect(try await enter("mia", "fish", isNew: false).json["localId"].string == uid)
            #expect(try await enter("mia", "sun", isNew: false).text.contains("INVALID_LOGIN_CREDENTIALS"))
            let path = "/v1/audiences/c/accounts"
            #expect(try await service.ask(.get, path, as: "jan").status == 403)
            let list = try await service.ask(.get, path, as: "maria").json["accounts"].array
            #expect(list.map { $0["name"].string } == ["Mia"] && list.first?["uid"].string == uid)
            #expect(try await service.ask(.put, "\(path)/\(uid)", as: "jan", #"{"picture":"sun"}"#).status == 403)
            #expect(try await service.ask(.put, "\(path)/\(uid)", as: "maria", #"{"picture":"x"}"#).status == 400)
            #expect(try await service.ask(.put, "\(path)/\(uid)", as: "maria", #"{"picture":"sun"}"#).status == 200)
            #expect(try await enter("Mia", "sun", isNew: false).status == 200)
            #expect(try await service.ask(.delete, "\(path)/eve", as: "maria").status == 404, "not one of the class")
            #expect(try await service.ask(.delete, "\(path)/\(uid)", as: "maria").status == 200)
            #expect(try await enter("Mia", "sun", isNew: false).text.contains("INVALID_LOGIN_CREDENTIALS"))
            let members = try await service.ask(.get, "/v1/audiences/c", as: "maria").json["members"]
            #expect(members[uid].string == nil)
        }
    }
}
