import Access
import Client
import Cryptography
import Foundation
import HTTPTypes
import TestSupport
import Testing
import TreeModel

@Suite("External tokens and messages to people, from an operator's view", .timeLimit(.minutes(20)))
struct IssuerServiceTests {
    /// Returns an external issuer of tokens.
    private func elsewhere(_ project: String) throws -> TokenAuthority {
        TokenAuthority(project: project, keys: try KeyRing(now: .now()))
    }

    private func keys(of authority: TokenAuthority) -> String {
        String(decoding: JSONValue.object(authority.publicKeys.mapValues(JSONValue.string)).text, as: UTF8.self)
    }

    @Test(
        "A service that other machines reach says that everybody sees its posts, until somebody chooses its rules",
        arguments: [([], false), (["--public-url", "https://photos.example"], true)])
    func openRules(arguments: [String], isNews: Bool) async throws {
        try await withScratch { scratch in
            let place = try await TCPPlace(arguments, in: scratch)
            let words = "everybody who reaches the service sees its posts"
            #expect(try place.log.contains(words) == isNews)
            for preset in ["public", "members"] {
                let set = try await run(["rules", "set", "--preset", preset, "--storage", place.daemon.storage])
                #expect(set.status == 0, "\(set)")
            }
            #expect(try await place.daemon.stop() == 0)
        }
    }

    @Test("A Firebase project's users are users here, however their tokens are sent, also without access to its keys")
    func firebase() async throws {
        try await withScratch { scratch in
            let firebase = try elsewhere("demo-photos")
            let keys = keys(of: firebase)
            let token = try firebase.issue(["sub": "ann", "user_id": "ann"])
            try await LoopbackServer.run(behaviour: { _ in .init(200, keys) }) { server in
                let issuers = #"[{"firebase-project": "demo-photos", "keys": "\#(server.origin)/keys"}]"#
                try scratch.write(issuers, to: "issuers.json")
                let options = ["--issuers", scratch.path + "/issuers.json"]
                let place = try await TCPPlace(options, in: scratch)
                #expect(try await place.author(token) == "ann")
                #expect(try await place.author(token.dropLast(6) + "AAAAAA") == nil)
                let read = try await place.tcp.get("/people/ann/full_name.json?auth=\(token)")
                #expect(read.status == 200 && read.text == "\"ann\"", "\(read.text)")
                let listening = try await place.tcp.send(
                    .get, "/people/ann.json?auth=\(token)", headers: [.accept: "text/event-stream"], body: .none
                ) { response, _ in (response.status.code, response.headerFields[.contentType]) }
                #expect(listening.0 == 200 && listening.1?.hasPrefix("text/event-stream") == true, "\(listening)")
                let kept = scratch.path + "/Storage/issuer-keys"
                try await eventually {
                    let names = try? FileManager.default.contentsOfDirectory(atPath: kept)
                    return names?.contains { $0.hasSuffix(".json") } == true
                }
                #expect(try await place.daemon.stop() == 0)

                await server.stop()
                let again = try await TCPPlace(options, in: scratch)
                #expect(try await again.author(token) == "ann")
                try await eventually { try again.log.contains("an issuer has no new keys") }
                #expect(try await again.daemon.stop() == 0)
                #expect(try !again.log.contains(token))
            }
        }
    }

    @Test("An issuer that does not respond delays neither the start nor the end of a service")
    func silent() async throws {
        try await withScratch { scratch in
            try await LoopbackServer.run(behaviour: { _ in nil }) { server in
                try scratch.write(
                    #"[{"firebase-project": "demo-photos", "keys": "\#(server.origin)/keys"}]"#, to: "issuers.json")
                let place = try await TCPPlace(["--issuers", scratch.path + "/issuers.json"], in: scratch)
                try await eventually { server.requests.count == 1 }
                let start = ContinuousClock.now
                #expect(try await place.daemon.stop() == 0)
                #expect(ContinuousClock.now - start < .seconds(8), "it did not wait for the 10 seconds of the request")
            }
        }
    }

    @Test("People sign in with the token of another provider, and with a custom token of another service account")
    func signIn() async throws {
        try await withScratch { scratch in
            let provider = try elsewhere("company")
            try scratch.write(keys(of: provider), to: "keys.json")
            try scratch.write(
                #"""
                [{"issuer": "\#(provider.issuer)", "audiences": ["company"], "keys": "keys.json", "uid-prefix": "c-"},
                 {"firebase-project": "demo-photos", "keys": "keys.json"}]
                """#, to: "issuers.json")
            let server = try elsewhere("backend")
            try scratch.write(try #require(server.publicKeys.values.first), to: "backend.pem")
            let account = "\(server.serviceAccount)=\(scratch.path)/backend.pem"
            let file = #"{"issuers": "\#(scratch.path)/issuers.json", "service-accounts": ["\#(account)"]}"#
            try scratch.write(file, to: "tintype.json")
            let place = try await TCPPlace(["--config", scratch.path + "/tintype.json"], in: scratch)

            let token = try provider.issue([
                "sub": "7", "email": "ann@example.com", "email_verified": true, "name": "Ann",
            ])
            #expect(try await place.author(token) == "c-7")
            let body = #"{"requestUri":"http://localhost","returnSecureToken":true,"postBody":"id_token=@&providerId="#
            let named = body.replacing("@", with: token)
            let signedIn = try await place.perform("signInWithIdp", named + #"oidc.securetoken.google.com"}"#)
            #expect(signedIn.status == 200 && signedIn.json["email"].string == "ann@example.com", "\(signedIn.text)")
            let own = try #require(signedIn.json["idToken"].string)
            #expect(try await place.author(own) == signedIn.json["localId"].string)
            let other = try await place.perform("signInWithIdp", named + #"google.com"}"#)
            #expect(other.status == 400 && other.text.contains("OPERATION_NOT_ALLOWED"), "\(other.text)")

            let custom = try server.issueCustomToken(uid: "bob")
            let signed = try await place.perform("signInWithCustomToken", #"{"token":"\#(custom)"}"#)
            #expect(signed.status == 200, "\(signed.text)")
            #expect(try await place.author(signed.json["idToken"].string ?? "") == "bob")
            let foreign = try elsewhere("backend").issueCustomToken(uid: "bob")
            let refused = try await place.perform("signInWithCustomToken", #"{"token":"\#(foreign)"}"#)
            #expect(refused.status == 400 && refused.text.contains("INVALID_CUSTOM_TOKEN"), "\(refused.text)")
            #expect(try await place.daemon.stop() == 0)
        }
    }

    @Test("A code is sent to the operator's address, signed, and is in no log")
    func webhook() async throws {
        try await withScratch { scratch in
            try await LoopbackServer.run(behaviour: { _ in .init(200) }) { server in
                try scratch.write("0123456789abcdef0123456789abcdef\n", to: "secret")
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o644], ofItemAtPath: scratch.path + "/secret")
                let place = try await TCPPlace(
                    [
                        "--account-webhook", server.origin + "/hook", "--account-webhook-secret",
                        scratch.path + "/secret", "--log-level", "trace",
                    ], in: scratch)
                _ = try await place.perform("signUp", #"{"email":"ann@example.com","password":"sesame!"}"#)
                let asked = try await place.perform(
                    "sendOobCode", #"{"requestType":"PASSWORD_RESET","email":"ann@example.com"}"#)
                #expect(asked.status == 200, "\(asked.text)")
                // Ordered messages are sent before the end.
                #expect(try await place.daemon.stop() == 0)
                let request = try #require(server.requests.first)
                let message = try JSONDecoder().decode(JSON.self, from: Data(request.body))
                let code = try #require(message["code"].string)
                #expect(message["email"].string == "ann@example.com" && message["kind"].string == "PASSWORD_RESET")
                let parts = try #require(
                    request.headers["tintype-signature"]?.wholeMatch(of: /t=(\d+),v1=([0-9a-f]{64})/))
                let mac = Digest.hmacSHA256(
                    Array("\(parts.1).".utf8) + request.body, key: Array("0123456789abcdef0123456789abcdef".utf8))
                #expect(mac.map { String(format: "%02x", $0) }.joined() == parts.2)
                let log = try place.log
                #expect(log.contains("the webhook's secret can be read by everybody"))
                #expect(!log.contains(code) && !log.contains("0123456789abcdef"))
            }
        }
    }

    @Test("A message that cannot be sent is logged, without its recipient")
    func unsent() async throws {
        try await withScratch { scratch in
            let place = try await TCPPlace(["--account-command", "/bin/false"], in: scratch)
            _ = try await place.perform("signUp", #"{"email":"ann@example.com","password":"sesame!"}"#)
            let asked = try await place.perform(
                "sendOobCode", #"{"requestType":"PASSWORD_RESET","email":"ann@example.com"}"#)
            #expect(asked.status == 200, "the response does not reveal it")
            #expect(try await place.daemon.stop() == 0)
            let log = try place.log
            #expect(log.contains("/bin/false ended with status 1") && !log.contains("ann@"), "\(log)")
        }
    }

    static let mistakes: [(files: [String: String], options: [String], message: String)] = [
        ([:], ["--firebase-projects", "Demo"], "\"Demo\" is not the id of a Firebase project"),
        ([:], ["--issuers", "@/none.json"], "issuers: @/none.json cannot be read"),
        (["i": "{}"], ["--issuers", "@/i"], "issuers: @/i: it is not a JSON list"),
        (
            ["i": #"[{"issuer":"https://id.example.com","audience":"x"}]"#], ["--issuers", "@/i"],
            "issuers: @/i: issuer 1 (https://id.example.com): \"audience\" does not belong there; there are issuer, aud"
        ),
        (
            ["i": #"[{"firebase-project":"demo"}]"#], ["--issuers", "@/i", "--firebase-projects", "demo"],
            "https://securetoken.google.com/demo is named twice"
        ),
        (
            ["a": "{}"], ["--service-accounts", "@/a"],
            "service-accounts: @/a: the file is not that of a service account"
        ),
        ([:], ["--account-webhook", "http://example.com/"], "is not an https address"),
        ([:], ["--account-webhook", "https://example.com/"], "openssl rand -hex 32"),
        ([:], ["--account-webhook-secret", "@/s"], "account-webhook, which is not set"),
        ([:], ["--notification-webhook", "http://example.com/"], "is not an https address"),
        (
            [:], ["--notification-webhook", "https://example.com/"],
            "notification-webhook needs notification-webhook-secret"
        ),
        ([:], ["--notification-command", "@/none"], "notification-command: @/none is not a program that can be run"),
        (
            ["s": "0123456789abcdef"],
            [
                "--account-webhook", "https://example.com/", "--account-webhook-secret", "@/s", "--account-command",
                "/usr/bin/true",
            ], "leave one of them out"
        ),
        (
            ["s": "short"], ["--account-webhook", "https://example.com/", "--account-webhook-secret", "@/s"],
            "the webhook's secret @/s has fewer than 16 characters"
        ),
    ]

    @Test("Wrong settings keep the service from starting, and the error contains their place", arguments: mistakes)
    func faults(files: [String: String], options: [String], message: String) async throws {
        try await withScratch { scratch in
            for (name, content) in files {
                try scratch.write(content, to: name)
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o600], ofItemAtPath: "\(scratch.path)/\(name)")
            }
            let options = options.map { $0.replacing("@", with: scratch.path) }
            let result = try await run(["serve", "--storage", scratch.path + "/Storage"] + options)
            #expect(result.status == 2, "\(result)")
            #expect(result.errors.contains(message.replacing("@", with: scratch.path)), "\(result)")
        }
    }
}
