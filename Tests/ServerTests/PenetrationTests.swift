import API
import Access
import Client
import Cryptography
import Foundation
import HTTPTypes
import Keeping
import Model
import Server
import Service
import TestSupport
import Testing
import Transport
import Tree
import TreeModel
import Uploads

/// The attacks of a client on the network: each is refused with the right code, changes nothing and reveals nothing.
@Suite("Penetration", .timeLimit(.minutes(20)))
struct PenetrationTests {
    private static let rules = """
        {"rules": {"mine": {"$uid": {".read": "auth.uid === $uid", ".write": "auth.uid === $uid"}}}}
        """

    /// A token that is forged without a key of the service.
    enum Forgery: String, CaseIterable, Sendable {
        case otherKey, expired, unsigned, wrongAudience, publicKeyAsSecret, changedPayload, emptySignature, noSubject
        case futureIssue, rubbish, huge

        /// Returns the token, for the user `maria`.
        func token(of service: Service) throws -> String {
            let claims: [String: JSONValue] = ["sub": "maria", "user_id": "maria"]
            let parts = try service.authority.issue(claims).split(separator: ".").map(String.init)
            switch self {
            case .otherKey:
                let keys = try KeyRing(now: WallClock.now())
                return try TokenAuthority(project: service.authority.project, keys: keys).issue(claims)
            case .expired: return try service.authority(at: -7_200_000).issue(claims)
            case .futureIssue: return try service.authority(at: 7_200_000).issue(claims)
            case .unsigned: return Service.mockToken(of: "maria")
            case .wrongAudience: return try service.authority(project: "another").issue(claims)
            case .publicKeyAsSecret:
                let text = "\(Base64URL.encode(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8))).\(parts[1])"
                let pem = try #require(service.authority.publicKeys.values.first)
                return "\(text).\(Base64URL.encode(Digest.hmacSHA256(Array(text.utf8), key: Array(pem.utf8))))"
            case .changedPayload:
                let payload = String(decoding: try #require(Base64URL.decode(parts[1].utf8)), as: UTF8.self)
                let changed = payload.replacing("maria", with: "marib")
                return "\(parts[0]).\(Base64URL.encode(Array(changed.utf8))).\(parts[2])"
            case .emptySignature: return "\(parts[0]).\(parts[1])."
            case .noSubject: return try service.authority.issue(["user_id": "maria"])
            case .rubbish: return "a.b.c"
            case .huge: return String(repeating: "A", count: 30_000)
            }
        }
    }

    @Test("P1: A forged token opens nothing, wherever it is sent", arguments: Forgery.allCases)
    func forgery(_ forgery: Forgery) async throws {
        try await withService { service in
            try await service.tree.setRules(Self.rules)
            try await service.tree.set("mine/maria", to: "secret")
            let token = try forgery.token(of: service)
            let bearer: HTTPFields = [.authorization: "Bearer \(token)"]
            let tcp = service.tcpClient
            var answers = [
                try await tcp.get("/mine/maria.json", headers: bearer),
                try await tcp.ask(.put, "/mine/maria.json", headers: bearer, body: .bytes(Array("1".utf8))),
                try await tcp.ask(.post, "/v1/uploads?text=x", headers: bearer),
                try await tcp.ask(.post, "/v1/reload", headers: bearer),
            ]
            if forgery != .huge { answers.append(try await tcp.get("/mine/maria.json?auth=\(token)")) }
            for answer in answers {
                #expect([401, 431].contains(answer.status), "\(answer.text)")
                #expect(!answer.text.contains("secret") && !answer.text.contains(token.suffix(20)))
            }
            #expect(try await service.tree.get("mine/maria") == "secret")
            #expect(try await service.tree.get("posts") == nil)
        }
    }

    @Test("P1: A user who has signed in reaches their own data, and nothing else")
    func otherUsers() async throws {
        try await withService { service in
            try await service.tree.setRules(Self.rules)
            try await service.tree.set("mine/maria", to: "secret")
            let (maria, noah) = (try service.headers(of: "maria"), try service.headers(of: "noah"))
            let tcp = service.tcpClient
            #expect(try await tcp.get("/mine/maria.json", headers: maria).text == "\"secret\"")
            for path in [
                "/mine/maria.json", "/mine.json", "/.json", "/mine.json?shallow=true", "/v1/changes?path=mine",
            ] {
                let answer = try await tcp.get(path, headers: noah)
                #expect(answer.status == 401 && !answer.text.contains("secret"), "\(path): \(answer.text)")
            }
            let post = try await tcp.ask(.post, "/v1/uploads?text=x&user=maria", headers: noah)
            #expect(post.status == 403 && post.json["code"].string == "not_allowed")
            let id = try #require(try await service.client.post("hello"))
            #expect(try await tcp.ask(.delete, "/v1/posts/\(id)", headers: noah).status == 403)
            #expect(try await tcp.ask(.delete, "/v1/posts/\(id)").status == 401)
            for path in ["/v1/keys", "/v1/jobs", "/.settings/rules.json", "/v1/uploads?text=x&as=maria"] {
                let answer = try await tcp.ask(.post, path, headers: noah)
                #expect([401, 403].contains(answer.status), "\(path): \(answer.text)")
            }
        }
    }

    @Test("A media address cannot be guessed, changed, used after its time or moved to another file")
    func mediaAddresses() async throws {
        try await withService { service in
            try await service.tree.setRules(#"{"rules": {"posts": {".read": true}}}"#)
            let answer = try await service.client.ask(
                .post, "/v1/uploads?user=maria", body: .bytes(try fixture("size-97x61.jpg")))
            let id = try #require(answer.json["post_id"].string)
            let (tcp, maria) = (service.tcpClient, try service.headers(of: "maria"))
            let originals = try await tcp.get("/v1/posts/\(id)/originals", headers: maria)
            let signed = try #require(originals.json["urls"][0].string)
            let path = String(signed.prefix { $0 != "?" })
            let token = String(signed.drop { $0 != "=" }.dropFirst())
            #expect(try await tcp.get(signed).status == 200)
            #expect(try await tcp.get(path, headers: maria).status == 200)
            let expired = service.mediaSigner.token(for: path, expiresAtSecond: 1)
            let elsewhere = service.mediaSigner.token(for: path + "x", lifetimeSeconds: 60)
            let parts = token.split(separator: ".").map(String.init)
            let guesses = [
                path, path + "?token=", path + "?token=\(token.dropLast())", path + "?token=\(expired)",
                path + "?token=\(elsewhere)", path + "?token=\(parts[0]).9999999999.\(parts[2])", path + "?token=..",
                path + "?token=%00", path.replacing("maria", with: "noah") + "?token=\(token)",
            ]
            for guess in guesses {
                let answer = try await tcp.get(guess)
                #expect(answer.status == 404, "\(guess): \(answer.status)")
            }
            #expect(try await tcp.get(path, headers: try service.headers(of: "noah")).status == 404)
            #expect(try await tcp.get("/v1/posts/\(id)/originals").status == 403)
        }
    }

    @Test("A stranger who writes at the id of a deleted post keeps none of its files, and inherits nothing")
    func deletedPostsID() async throws {
        try await withService { service in
            try await service.setDefaultRules()
            let sent = try await service.client.ask(
                .put, "/v1/uploads?user=maria", body: .bytes(try fixture("size-97x61.jpg"))
            ).json
            let id = try #require(sent["post_id"].string)
            let url = try #require(sent["post"]["full_url"].string)
            try await service.tree.set(try TreePath("likes/\(id)/noah"), to: 1)
            #expect(try await service.ask(.delete, "/v1/posts/\(id)", as: "maria").status == 200)
            let post =
                #"{"author":{"uid":"eve","full_name":"eve"},"timestamp":{".sv":"timestamp"},"full_url":"\#(url)"}"#
            _ = try await service.ask(.put, "/posts/\(id).json", as: "eve", post)
            #expect(try await service.ask(.get, "/posts/\(id).json", as: "eve").text == "null")
            #expect(try await service.ask(.delete, "/v1/posts/\(id)", as: "maria").status == 404)
            // An administrative tool marks a deleted post.
            try await service.tree.set(try TreePath("posts/\(id)/moderated"), to: true)
            try await service.finishJobs()
            #expect(try await service.client.get("/likes/\(id).json").text == "null")
            #expect(try await service.ask(.get, url, as: "eve").status == 200, "until the grace period is over")
            try await service.tree.set(FileNodes.deleted(try #require(PostID(id))), to: 0)
            try await service.pipeline.janitor.sweep()
            #expect(try await service.ask(.get, url, as: "eve").status == 404)
            #expect(!service.scratch.exists("Storage/blobs/maria/\(id)"))
        }
    }

    @Test(
        "Paths cannot bypass the rules",
        arguments: [
            "/mine/noah/../maria.json", "/mine//maria.json", "/mine/%6Daria.json", "/mine%2Fmaria.json",
            "/mine/maria/.json", "//mine/maria.json", "/./mine/maria.json", "/mine/maria.json?ns=tintype",
            "/mine/maria.json?ns=.accounts", "/accounts.json?ns=.accounts", "/uploads.json", "/media/../tintype.db",
            "/media/..%2f..%2ftintype.db", "/media/maria/%2e%2e/%2e%2e", "/.settings/rules.json",
            "/mine/maria/.priority.json",
        ])
    func paths(path: String) async throws {
        try await withService { service in
            try await service.tree.setRules(Self.rules)
            try await service.tree.set("mine/maria", to: "secret")
            let answer = try await service.tcpClient.get(path, headers: try service.headers(of: "noah"))
            #expect([400, 401, 404].contains(answer.status), "\(answer.status) \(answer.text)")
            #expect(!answer.text.contains("secret"))
        }
    }

    private static let toolkit = "/identitytoolkit.googleapis.com/v1"

    @Test("Pages of other sites and rebound names are refused, with or without a token")
    func pages() async throws {
        try await withService { service in
            var headers = try service.headers(of: "maria")
            headers[.origin] = "https://evil.example"
            let post = try await service.tcpClient.ask(.post, "/v1/uploads?text=x", headers: headers)
            #expect(post.status == 403 && post.json["code"].string == "cross_site")
            #expect(post.headers[.accessControlAllowOrigin] == nil)
            let signUp = try await service.tcpClient.ask(
                .post, "\(Self.toolkit)/accounts:signUp?key=x", headers: [.origin: "https://evil.example"],
                body: .bytes(Array("{}".utf8)))
            #expect(signUp.status == 403 && signUp.headers[.accessControlAllowOrigin] == nil)
            for path in ["/v1/posts", "/a.json", "\(Self.toolkit)/projects"] {
                let text = "GET \(path) HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
                let answers = try await service.answers(to: Array(text.utf8), isTCP: true)
                #expect(answers.map(\.status) == [403], "\(path)")
            }
        }
    }

    @Test("A truncated or invalid refresh token opens nothing")
    func refreshTokens() async throws {
        try await withService { service in
            func refresh(_ token: String) async throws -> TestSupport.Answer {
                try await service.tcpClient.ask(
                    .post, "/securetoken.googleapis.com/v1/token?key=x",
                    headers: [.contentType: "application/x-www-form-urlencoded"],
                    body: .bytes(Array("grant_type=refresh_token&refresh_token=\(token)".utf8)))
            }
            let account = try await service.tcpClient.ask(
                .post, "\(Self.toolkit)/accounts:signUp?key=x", headers: [.contentType: "application/json"],
                body: .bytes(Array("{\"returnSecureToken\":true}".utf8)))
            let first = try #require(account.json["refreshToken"].string)
            let second = try #require(try await refresh(first).json["refresh_token"].string)
            let third = try #require(try await refresh(second).json["refresh_token"].string)
            // The token before the last was revoked when its successor was used: this is a replay, which ends the
            // session.
            #expect(try await refresh(first).status == 400)
            for token in [third, second, first + "x", String(first.dropLast()), "", "x"] {
                let answer = try await refresh(token)
                #expect(answer.status == 400, "\(answer.text)")
                #expect(!answer.text.contains("id_token"))
            }
        }
    }

    @Test("Administrative endpoints are closed to others")
    func adminEndpoints() async throws {
        try await withService { service in
            let project = service.authority.project
            let paths = ["accounts", "accounts:lookup", "accounts:batchDelete"]
                .map { "\(Self.toolkit)/projects/\(project)/\($0)" }
            for headers in [[:], try service.headers(of: "maria"), [.authorization: "Bearer owner"]] as [HTTPFields] {
                for path in paths {
                    let answer = try await service.tcpClient.ask(
                        .post, path, headers: headers, body: .bytes(Array("{\"localId\":[\"maria\"]}".utf8)))
                    #expect([401, 403].contains(answer.status), "\(path): \(answer.text)")
                }
            }
            #expect(
                try await service.tcpClient.ask(.delete, "/emulator/v1/projects/\(project)/accounts").status == 403)
            let local = try await service.client.ask(.post, paths[0], body: .bytes(Array("{}".utf8)))
            #expect(local.status == 200, "\(local.text)")
        }
    }

    @Test("A client that sends too much waits, and gets the time to wait; an oversized request is refused")
    func limits() async throws {
        try await withService(changeServer: { $0.limits.requestsPerSecond = 1 }) { service in
            try await service.tree.setRules(Self.rules)
            let (tcp, maria) = (service.tcpClient, try service.headers(of: "maria"))
            var answers: [TestSupport.Answer] = []
            while answers.count < 200, answers.last?.status != 429 {
                answers.append(try await tcp.get("/mine/maria.json", headers: maria))
            }
            let last = try #require(answers.last)
            #expect(answers.first?.status == 200 && last.status == 429)
            #expect(last.headers[.retryAfter].flatMap { Int($0) } ?? 0 >= 1)
            // Others are not slowed down by it.
            #expect(try await tcp.get("/mine/noah.json", headers: try service.headers(of: "noah")).status == 200)
            let address = "/a.json?auth=\(String(repeating: "a", count: 100_000))"
            let head = "GET \(address) HTTP/1.1\r\nHost: localhost\r\n\r\n"
            #expect([414, 431].contains(try await service.answers(to: Array(head.utf8), isTCP: true).first?.status))
            let body = try await tcp.ask(
                .post, "\(Self.toolkit)/accounts:signUp?key=x", body: .bytes([UInt8](repeating: 0x20, count: 1 << 20)))
            #expect(body.status == 413, "\(body.text)")
        }
    }
}

extension Service {
    /// Returns the service's authority with another clock, in milliseconds from now, or another project.
    fileprivate func authority(at offset: Int64 = 0, project: String? = nil) throws -> TokenAuthority {
        TokenAuthority(
            project: project ?? authority.project, keys: try Self.keys.get(),
            now: { WallClock.now() + .milliseconds(offset) })
    }
}
