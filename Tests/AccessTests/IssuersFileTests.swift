import Cryptography
import Foundation
import Testing
import TreeModel

@testable import Access

@Suite("The file that names other issuers")
struct IssuersFileTests {
    private func issuers(_ text: String) throws -> [IssuerSettings] {
        try IssuersFile(document: Array(text.utf8), folder: "/etc/photos").issuers
    }

    @Test("Omitted settings of an issuer have their defaults")
    func defaults() throws {
        let text = #"""
            [{"issuer": "https://accounts.google.com", "audiences": ["app", "web"], "uid-prefix": "g-"},
             {"issuer": "https://ID.example.com:8443/realm", "audiences": ["photos"], "uid-prefix": ""},
             {"firebase-project": "demo"}, {"firebase-project": "own", "claims": ["admin", "groups"]}]
            """#
        let issuers = try issuers(text)
        #expect(
            issuers == [
                try .oidc(
                    issuer: "https://accounts.google.com", audiences: ["app", "web"], uidPrefix: "g-",
                    provider: "google.com"),
                try .oidc(
                    issuer: "https://ID.example.com:8443/realm", audiences: ["photos"], provider: "oidc.id.example.com"),
                try .firebase(project: "demo"), try .firebase(project: "own", claims: ["groups", "admin"]),
            ])
        #expect(throws: Never.self) { try IssuerSettings.check(issuers) }
    }

    @Test(
        "Keys are at an address, or in a file beside this one",
        arguments: [
            ("https://id.example.com/keys", .url("https://id.example.com/keys")),
            ("keys.json", .file(path: "/etc/photos/keys.json")), ("/tmp/keys.json", .file(path: "/tmp/keys.json")),
        ] as [(String, IssuerSettings.KeySource)])
    func keys(text: String, source: IssuerSettings.KeySource) throws {
        let entry =
            #"[{"issuer":"https://a.example","audiences":["x"],"uid-claim":"login","provider":"a","keys":"\#(text)"}]"#
        #expect(
            try issuers(entry) == [
                try .oidc(
                    issuer: "https://a.example", audiences: ["x"], keySource: source, uidClaim: "login", provider: "a")
            ])
        #expect(
            try issuers(#"[{"firebase-project":"demo","keys":"\#(text)"}]"#)
                == [try .firebase(project: "demo", keySource: source)])
    }

    static let faults = [
        ("", "not a JSON list"), ("{}", "not a JSON list"), ("[1]", "issuer 1: it is not a JSON object"),
        ("[{}]", #"issuer 1: "issuer" is missing"#), (#"[{"issuer":7}]"#, #""issuer" is not a text"#),
        (#"[{"firebase-project":"demo","claims":"admin"}]"#, #""claims" is not a list"#),
        (#"[{"firebase-project":"demo","claims":[1]}]"#, #""claims" is not a list"#),
        (#"[{"issuer":"https://a.example"}]"#, #"issuer 1 (https://a.example): "audiences" is missing"#),
        (#"[{"issuer":"https://a.example","audiences":"x"}]"#, #""audiences" is missing"#),
        (#"[{"issuer":"https://a.example","audiences":[]}]"#, #""audiences" is missing"#),
        (#"[{"issuer":"https://a.example","audiences":[7]}]"#, #""audiences" is missing"#),
        (#"[{"issuer":"https://a.example","audiences":[""]}]"#, "needs an audience"),
        (#"[{"issuer":"http://a.example","audiences":["x"]}]"#, "is an https address"),
        (#"[{"issuer":"accounts.google.com","audiences":["x"]}]"#, "is an https address"),
        (#"[{"issuer":"https://a.example","audiences":["x"],"keys":"http://a.example/"}]"#, "read from https"),
        (#"[{"issuer":"https://a.example","audiences":["x"],"keys":"file:///etc/keys"}]"#, "read from https"),
        (
            #"[{"issuer":"https://a.example","audiences":["x"],"uid_prefix":"x"}]"#,
            #""uid_prefix" does not belong there"#
        ),
        (#"[{"issuer":"https://a.example","audiences":["x"],"uid-prefix":"a/"}]"#, "uid-prefix has at most"),
        (#"[{"issuer":"https://a.example","audiences":["x"],"uid-claim":""}]"#, "name of a claim"),
        (#"[{"issuer":"https://a.example","audiences":["x"],"provider":"password"}]"#, "not the name of a provider"),
        (#"[{"issuer":"https://a.example","audiences":["x"],"provider":"Google"}]"#, "not the name of a provider"),
        (#"[{"firebase-project":"demo","audiences":["x"]}]"#, "there are firebase-project, keys"),
        (#"[{"firebase-project":"a/b"}]"#, "not the id of a Firebase project"),
        (
            #"[{"firebase-project":"demo"},{"issuer":"https://a.example","audiences":["x"]}]"#,
            #"issuer 2 (https://a.example): "uid-prefix" is missing"#
        ),
    ]

    @Test("An error is reported with its issuer", arguments: faults)
    func fault(text: String, message: String) throws {
        let error = #expect(throws: KeyError.self) { try issuers(text) }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }

    @Test("Two issuers with the same name or provider are refused")
    func twice() throws {
        let one = try IssuerSettings.oidc(issuer: "https://a.example", audiences: ["x"], provider: "a")
        let same = try IssuerSettings.oidc(issuer: "https://a.example", audiences: ["y"], provider: "b")
        let provider = try IssuerSettings.oidc(issuer: "https://b.example", audiences: ["x"], provider: "a")
        #expect(throws: KeyError.self) { try IssuerSettings.check([one, same]) }
        #expect(throws: KeyError.self) { try IssuerSettings.check([one, provider]) }
        #expect(throws: Never.self) {
            try IssuerSettings.check([one, .firebase(project: "a"), .firebase(project: "b")])
        }
    }

    @Test("A file is read with the files that it names, and errors contain its name")
    func file() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "issuers-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "issuers.json")
        try Data(#"[{"firebase-project":"demo","keys":"keys.json"}]"#.utf8).write(to: file)
        guard case .file(let keys) = try IssuersFile(path: file.path).issuers.first?.keySource else {
            Issue.record("it names no file")
            return
        }
        #expect(URL(filePath: keys).standardizedFileURL.path == folder.appending(path: "keys.json").path)
        try Data("[7]".utf8).write(to: file)
        let error = #expect(throws: KeyError.self) { try IssuersFile(path: file.path) }
        #expect(error?.message == "\(file.path): issuer 1: it is not a JSON object")
        #expect(throws: KeyError.self) { try IssuersFile(path: folder.path) }
    }

    @Test("A service account is read from its JSON file, or from its certificate or public key with its address")
    func serviceAccounts() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "account-\(UUID().uuidString)=x")
        defer { try? FileManager.default.removeItem(at: file) }
        let document: JSONValue = ["client_email": "a@example.com", "private_key": .string(Foreign.privateKey)]
        let json = String(decoding: document.text, as: UTF8.self)
        let rows: [(content: String, name: String, email: String?)] = [
            (json, file.path, "a@example.com"), (Foreign.publicKey, "b@example.com=\(file.path)", "b@example.com"),
            (Foreign.certificate, "b@example.com=\(file.path)", "b@example.com"),
            (Foreign.privateKey, "b@example.com=\(file.path)", nil), (json, "b@example.com=\(file.path)", nil),
            (Foreign.publicKey, file.path, nil), ("", file.path, nil), ("{}", file.path, nil),
        ]
        for row in rows {
            try Data(row.content.utf8).write(to: file)
            guard let email = row.email else {
                let error = #expect(throws: KeyError.self) { try ServiceAccount(parsing: row.name) }
                #expect(error?.message.hasPrefix(file.path) == true && error?.message.contains("MII") == false)
                continue
            }
            #expect(try ServiceAccount(parsing: row.name).email == email)
        }
    }
}
