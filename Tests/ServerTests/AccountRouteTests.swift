import Access
import Client
import HTTPTypes
import Model
import TestSupport
import Testing
import Transport
import Tree
import TreeModel

@Suite("Tokens and keys requested by admins", .timeLimit(.minutes(20)))
struct AccountRouteTests {
    private static let requests: [(method: HTTPRequest.Method, path: String)] = [
        (.post, "/v1/users/maria/token"), (.get, "/v1/keys"), (.post, "/v1/keys?name=x"), (.delete, "/v1/keys/x"),
        (.post, "/v1/signing-keys"), (.post, "/v1/signing-keys?compromised=true"),
    ]

    /// Creates an account with an id.
    private func makeAccount(_ uid: String, _ more: String = "", in service: Service) async throws {
        let project = try await service.client.get("/identitytoolkit.googleapis.com/v1/projects").json["projectId"]
        let answer = try await service.client.ask(
            .post, "/identitytoolkit.googleapis.com/v1/projects/\(project.string ?? "")/accounts",
            body: .bytes(Array(#"{"localId":"\#(uid)"\#(more)}"#.utf8)))
        #expect(answer.status == 200, "\(answer.text)")
    }

    @Test("Tokens and keys are for admins alone, not for users, not even with a forged claim", arguments: requests)
    func refused(request: (method: HTTPRequest.Method, path: String)) async throws {
        try await withService { service in
            try await makeAccount("maria", in: service)
            let senders: [HTTPFields] = [
                [:], try service.headers(of: "maria"), try service.headers(of: "maria", ["admin": true]),
            ]
            for headers in senders {
                let answer = try await service.tcpClient.ask(request.method, request.path, headers: headers)
                #expect(answer.status == 403 && answer.json["code"].string == "admin_only", "\(answer.text)")
            }
            let acting = try await service.client.ask(
                request.method, request.path + (request.path.contains("?") ? "&" : "?") + "as=maria")
            #expect(acting.status == 403, "an admin who acts as somebody is none: \(acting.text)")
            #expect(try await service.client.get("/v1/keys").body.isEmpty)
        }
    }

    /// A way to create an account.
    static let signUps: [(address: String, body: String, name: String)] = [
        (
            "accounts:signUp?key=x", #"{"email":"ann@example.com","password":"sesame!","displayName":"Ann Lee"}"#,
            "Ann Lee"
        ),
        ("accounts:signUp?key=x", #"{"email":"ann@example.com","password":"sesame!"}"#, "Anonymous"),
        ("accounts:signUp?key=x", #"{"returnSecureToken":true}"#, "Anonymous"),
        (
            "projects/PROJECT/accounts", #"{"localId":"u1","displayName":"Ann\tLee","photoUrl":"https://p.example/a"}"#,
            "AnnLee"
        ),
        ("projects/PROJECT/accounts:batchCreate", #"{"users":[{"localId":"u1","displayName":"Ann Lee"}]}"#, "Ann Lee"),
    ]

    @Test(
        "An account is a person from its sign-up on, under its name, until the person sets another one",
        arguments: signUps)
    func person(way: (address: String, body: String, name: String)) async throws {
        try await withService { service in
            try await service.setDefaultRules()
            let toolkit = "/identitytoolkit.googleapis.com/v1"
            let project = service.authority.project
            let client = way.address.contains("PROJECT") ? service.client : service.tcpClient
            let answer = try await client.ask(
                .post, "\(toolkit)/\(way.address.replacing("PROJECT", with: project))",
                body: .bytes(Array(way.body.utf8)))
            #expect(answer.status == 200, "\(answer.text)")
            let uid = answer.json["localId"].string ?? "u1"
            let person = try await service.tcpClient.get("/v1/people/\(uid)")
            #expect(person.status == 200 && person.json["full_name"].string == way.name, "\(person.text)")
            let found = try await service.tcpClient.get("/v1/people?search=\(way.name.prefix(3).lowercased())")
            #expect(found.text.contains(uid), "\(found.text)")
            func rename(_ name: String) async throws -> String? {
                _ = try await service.client.ask(
                    .post, "\(toolkit)/projects/\(project)/accounts:update",
                    body: .bytes(Array(#"{"localId":"\#(uid)","displayName":"\#(name)"}"#.utf8)))
                return try await service.tcpClient.get("/v1/people/\(uid)").json["full_name"].string
            }
            #expect(try await rename("Bea") == "Bea")
            try await service.tree.set(try TreePath("people/\(uid)/full_name"), to: "Own Name")
            #expect(try await rename("Cleo") == "Own Name")
        }
    }

    @Test("A token proves its account, with the requested claims")
    func token() async throws {
        try await withService { service in
            try await makeAccount(
                "ma ria", #","email":"m@example.com","customAttributes":"{\"a\":1,\"b\":1}""#, in: service)
            let answer = try await service.client.ask(
                .post, "/v1/users/ma%20ria/token?lifetime=60&claims=%7B%22b%22:2,%22c%22:3,%22email%22:%22x%22%7D")
            #expect(answer.status == 201 && answer.headers[.cacheControl] == "no-store", "\(answer.text)")
            let claims = try service.authority.verify(try #require(answer.json["token"].string))
            #expect(claims["sub"]?.string == "ma ria" && claims["a"]?.integer == 1 && claims["c"]?.integer == 3)
            #expect(claims["b"]?.integer == 1 && claims["email"]?.string == "m@example.com", "the account's come last")
            #expect((claims["exp"]?.integer ?? 0) - (claims["iat"]?.integer ?? 0) == 60)
            #expect(claims["firebase"]?["sign_in_provider"]?.string == "custom")
        }
    }

    @Test("Session cookies exist in emulators only; their address answers with an error")
    func sessionCookies() async throws {
        try await withService { service in
            let path = "/identitytoolkit.googleapis.com/v1/projects/\(service.authority.project)"
            let answer = try await service.client.ask(
                .post, "\(path):createSessionCookie", body: .bytes(Array("{}".utf8)))
            #expect(answer.status == 403, "\(answer.text)")
            #expect(answer.json["error"]["message"].string == "INSUFFICIENT_PERMISSION")
            for name in ["createSessionCookies", "lookup", ""] {
                let other = try await service.client.ask(.post, "\(path):\(name)", body: .bytes(Array("{}".utf8)))
                #expect(other.status == 404, "\(other.text)")
            }
        }
    }

    @Test("A JSON body counts like the query; unknown members are refused")
    func tokenBody() async throws {
        try await withService { service in
            try await makeAccount("maria", in: service)
            func ask(_ query: String, _ body: String, _ type: String = "application/json") async throws -> Answer {
                try await service.client.ask(
                    .post, "/v1/users/maria/token\(query)", headers: [.contentType: type],
                    body: .bytes(Array(body.utf8)))
            }
            let answer = try await ask("", #"{"lifetime":60,"claims":{"a":{"b":1}},"custom":null}"#)
            #expect(answer.status == 201, "\(answer.text)")
            let claims = try service.authority.verify(try #require(answer.json["token"].string))
            #expect(claims["a"]?["b"]?.integer == 1)
            #expect((claims["exp"]?.integer ?? 0) - (claims["iat"]?.integer ?? 0) == 60)
            let custom = try await ask("?claims=%7B%22a%22:1%7D", #"{"custom":true}"#)
            #expect(custom.status == 201, "\(custom.text)")
            #expect(throws: (any Error).self, "a custom token is no ID token") {
                try service.authority.verify(custom.json["token"].string ?? "")
            }
            let refused: [(query: String, body: String, status: Int)] = [
                ("", #"{"expires":60}"#, 400), ("", #"{"lifetime":0}"#, 400), ("", #"{"claims":"x"}"#, 400),
                ("", #"{"custom":"true"}"#, 400), ("", "[]", 400), ("", "{", 400),
                ("?lifetime=60", #"{"lifetime":60}"#, 400), ("", #"{"custom":true,"lifetime":60}"#, 400),
            ]
            for item in refused {
                let answer = try await ask(item.query, item.body)
                #expect(answer.status == item.status, "\(item.body): \(answer.text)")
                #expect(answer.json["code"].string == "bad_request", "\(item.body): \(answer.text)")
            }
            let form = try await ask("", "lifetime=60", "application/x-www-form-urlencoded")
            #expect(form.status == 415 && form.json["code"].string == "unsupported_type", "\(form.text)")
        }
    }

    static let badRequests: [(path: String, status: Int, code: String)] = [
        ("/v1/users/nobody/token", 404, "unknown_user"), ("/v1/users/off/token", 409, "wrong_state"),
        ("/v1/users/maria/token?lifetime=0", 400, "bad_request"),
        ("/v1/users/maria/token?lifetime=86401", 400, "bad_request"),
        ("/v1/users/maria/token?lifetime=x", 400, "bad_request"),
        ("/v1/users/maria/token?claims=%5B%5D", 400, "bad_request"),
        ("/v1/users/maria/token?claims=x", 400, "bad_request"),
        ("/v1/users/maria/token?claims=%7B%22sub%22:%22x%22%7D", 400, "bad_request"),
        ("/v1/users/maria/token?claims=%7B%22user_id%22:%22x%22%7D", 400, "bad_request"),
        (
            "/v1/users/maria/token?claims=%7B%22x%22:%22" + String(repeating: "x", count: 1000) + "%22%7D", 400,
            "bad_request"
        ),
        ("/v1/users/maria/token?custom=true&lifetime=60", 400, "bad_request"),
        ("/v1/users/maria/token?custom=maybe", 400, "bad_request"),
        ("/v1/users/a%23b/token?custom=true", 400, "bad_user"), ("/v1/users/%FF/token", 400, "bad_user"),
        ("/v1/keys?name=", 400, "bad_request"), ("/v1/keys?name=a.b", 400, "bad_request"),
        ("/v1/keys?name=\(String(repeating: "x", count: 65))", 400, "bad_request"),
        ("/v1/keys?name=x&lifetime=0", 400, "bad_request"), ("/v1/keys?name=x&lifetime=-1", 400, "bad_request"),
        ("/v1/keys?name=x&lifetime=1h", 400, "bad_request"), ("/v1/keys?name=x&lifetime=315360001", 400, "bad_request"),
    ]

    @Test("A token that cannot be issued is refused with the reason")
    func badRequests() async throws {
        try await withService { service in
            try await makeAccount("maria", in: service)
            try await makeAccount("off", #","disabled":true"#, in: service)
            for item in Self.badRequests {
                let answer = try await service.client.ask(.post, item.path)
                #expect(answer.status == item.status, "\(item.path): \(answer.text)")
                #expect(answer.json["code"].string == item.code, "\(item.path): \(answer.text)")
            }
        }
    }

    @Test("An admin key opens TCP while it exists; its text is shown once, and its name is unique")
    func adminKeys() async throws {
        try await withService { service in
            let made = try await service.client.ask(.post, "/v1/keys?name=backup&lifetime=3600")
            #expect(made.status == 201 && made.headers[.cacheControl] == "no-store", "\(made.text)")
            let key = try #require(made.json["key"].string)
            let headers: HTTPFields = [.authorization: "Bearer \(key)"]
            let listed = try await service.tcpClient.get("/v1/keys", headers: headers)
            #expect(listed.status == 200 && listed.json["name"].string == "backup", "\(listed.text)")
            #expect(listed.json["key"] == .null && !listed.text.contains(key))
            #expect((listed.json["expires"].int ?? 0) - (listed.json["created"].int ?? 0) == 3_600_000)
            let second = try await service.client.ask(.post, "/v1/keys?name=backup")
            #expect(second.status == 409 && second.json["code"].string == "wrong_state", "\(second.text)")
            let acting = try await service.tcpClient.ask(.post, "/v1/uploads?text=x&as=maria", headers: headers)
            #expect(acting.json["post"]["author"]["uid"].string == "maria", "\(acting.text)")
            #expect(try await service.tcpClient.ask(.delete, "/v1/keys/backup", headers: headers).status == 200)
            #expect(try await service.tcpClient.get("/v1/keys", headers: headers).status == 401)
            #expect(try await service.client.ask(.delete, "/v1/keys/backup").status == 404)
            #expect(try await service.client.ask(.delete, "/v1/keys/a%2Fb").status == 404)
        }
    }

    @Test("The number of admin keys is limited to a hundred")
    func manyKeys() async throws {
        try await withService { service in
            for number in 0..<100 {
                #expect(try await service.client.ask(.post, "/v1/keys?name=k\(number)").status == 201)
            }
            #expect(try await service.client.ask(.post, "/v1/keys?name=more").status == 409)
            let lines = try await service.client.get("/v1/keys").text.split(separator: "\n")
            #expect(lines.count == 100)
        }
    }

    /// A second use of a refresh token that was replaced with the key `k`.
    static let repetitions: [(key: String?, path: String, isLate: Bool, status: Int)] = [
        ("k", "/securetoken.googleapis.com/v1/token?key=x", true, 200),
        ("k", "/identitytoolkit.googleapis.com/v1/token", true, 200),
        ("other", "/securetoken.googleapis.com/v1/token?key=x", true, 400),
        (nil, "/securetoken.googleapis.com/v1/token?key=x", true, 400),
        ("other", "/securetoken.googleapis.com/v1/token?key=x", false, 200),
        (nil, "/securetoken.googleapis.com/v1/token?key=x", false, 200),
    ]

    @Test("A replaced refresh token gets its successor an hour later only with the same key", arguments: repetitions)
    func refreshKey(repetition: (key: String?, path: String, isLate: Bool, status: Int)) async throws {
        try await withService { service in
            func refresh(_ token: String, _ key: String?, at path: String) async throws -> Answer {
                var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
                headers[.idempotencyKey] = key
                return try await service.tcpClient.ask(
                    .post, path, headers: headers,
                    body: .bytes(Array("grant_type=refresh_token&refresh_token=\(token)".utf8)))
            }
            let account = try await service.tcpClient.ask(
                .post, "/identitytoolkit.googleapis.com/v1/accounts:signUp",
                body: .bytes(Array(#"{"returnSecureToken":true}"#.utf8)))
            let first = try #require(account.json["refreshToken"].string)
            for bad in [String(repeating: "x", count: 201), "ä"] {
                let refused = try await refresh(first, bad, at: repetition.path)
                #expect(refused.status == 400, "\(refused.text)")
                let message = refused.json["error"]["message"].string
                #expect(message == "INVALID_ARGUMENT : Idempotency-Key has 1 to 200 printable ASCII characters")
            }
            let second = try #require(try await refresh(first, "k", at: repetition.path).json["refresh_token"].string)
            if repetition.isLate {
                let uid = try TreeKey(try #require(account.json["localId"].string))
                let session = try #require(try await service.tree.keys(of: AccountNodes.session(uid)).first)
                let replaced = AccountNodes.session(uid) / session / "replaced"
                let time = try #require(try await service.tree.get(replaced)?.integerValue)
                try await service.tree.set(replaced, to: .integer(time - 3_600_000))
            }
            let again = try await refresh(first, repetition.key, at: repetition.path)
            #expect(again.status == repetition.status, "\(again.text)")
            if repetition.status == 200 {
                #expect(again.json["refresh_token"].string == second)
            } else {
                #expect(again.json["error"]["message"].string == "INVALID_REFRESH_TOKEN", "\(again.text)")
            }
            let next = try await refresh(second, "k2", at: repetition.path)
            #expect(next.status == repetition.status, "a session with a stolen token is over: \(next.text)")
        }
    }

    @Test("The new signing key signs later, or at once where the old one is compromised")
    func rotation() async throws {
        try await withService { service in
            let rotated = try await service.client.ask(.post, "/v1/signing-keys")
            #expect(rotated.status == 200 && (rotated.json["signs_from"].int ?? 0) > 0, "\(rotated.text)")
            try await makeAccount("maria", in: service)
            let path = "/v1/users/maria/token"
            let token = try #require(try await service.client.ask(.post, path).json["token"].string)
            #expect(try await service.client.ask(.post, "/v1/signing-keys").json == rotated.json, "one waits already")
            _ = try service.authority.verify(token)
            let replaced = try await service.client.ask(.post, "/v1/signing-keys?compromised=true")
            #expect(replaced.status == 200, "\(replaced.text)")
            #expect(throws: (any Error).self) { try service.authority.verify(token) }
            let new = try #require(try await service.client.ask(.post, path).json["token"].string)
            _ = try service.authority.verify(new)
        }
    }
}
