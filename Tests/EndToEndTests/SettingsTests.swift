import Foundation
import TestSupport
import Testing

@Suite("Settings: each declaration is a flag, a variable, a key of the file and a row of the documents")
struct SettingsTests {
    private struct Line: Decodable, Sendable {
        let name: String
        let value: String
        let origin: String
    }

    /// Returns the lines of `tintype config`, by the settings' names.
    private func config(
        _ arguments: [String] = [], environment: [String: String] = [:]
    ) async throws -> [String: Line] {
        let result = try await run(["config", "--json"] + arguments, environment: environment)
        #expect(result.status == 0, "\(result)")
        let lines = try result.output.split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
        return Dictionary(uniqueKeysWithValues: lines.map { ($0.name, $0) })
    }

    /// Returns the flag of a setting as it is written.
    private func flag(_ name: String) -> String { name == "recipes" ? "--recipe" : "--\(name)" }

    private func variable(_ name: String) -> String {
        "TINTYPE_" + name.uppercased().replacingOccurrences(of: "-", with: "_")
    }

    @Test("Each setting can be set by a flag, a variable and the file, and the stronger one is used")
    func everySetting() async throws {
        let defaults = try await config()
        #expect(defaults.count > 30 && defaults.values.allSatisfy { $0.origin == "default" })
        let samples = [
            "description": "Photos of us", "accent-color": "#8a5a2b", "icon": Fixture.path("photo.jpg"),
            "imprint-url": "/imprint", "access-log": "access.log", "terms-url": "https://photos.example/terms",
            "privacy-url": "/privacy",
            "listen": "127.0.0.1:8080", "public-url": "https://photos.example", "database-secret": "secret.txt",
            "allowed-origins": "*", "socket-users": "daemon=any", "tls-certificate": "c.pem", "tls-key": "k.pem",
            "behind-proxy": "10.0.0.0/8", "sign-up": "email", "account-command": "/usr/bin/true",
            "account-webhook": "https://photos.example/hook", "account-webhook-secret": "hook.txt",
            "notification-command": "/usr/bin/true", "notification-webhook": "https://photos.example/notify",
            "notification-webhook-secret": "notify.txt", "moderation-command": "/usr/bin/true",
            "moderation-webhook": "https://photos.example/look", "moderation-webhook-secret": "look.txt",
            "firebase-projects": "demo other", "issuers": "issuers.json",
            "service-accounts": "a.json b@x.example=b.pem",
        ]
        // Settings with a default have a value; a setting without one needs a sample.
        let values = defaults.mapValues { line in line.value.isEmpty ? samples[line.name] ?? "" : line.value }
        #expect(!values.values.contains(""))
        try await withScratch { scratch in
            let file = ["--config", scratch.path + "/c.json"]
            try scratch.write(String(decoding: try JSONEncoder().encode(values), as: UTF8.self), to: "c.json")
            let byFile = try await config(file)
            #expect(byFile.values.allSatisfy { $0.origin == file[1] && $0.value == values[$0.name] }, "\(byFile)")

            let environment = Dictionary(uniqueKeysWithValues: values.map { (variable($0), $1) })
            let byVariable = try await config(file, environment: environment)
            #expect(byVariable.values.allSatisfy { $0.origin == variable($0.name) }, "\(byVariable)")

            // Bare flags have no value.
            let bare: Set = ["emulator", "proxy-header", "tolerant"]
            let flags = values.sorted { $0.key < $1.key }.flatMap { name, value in
                bare.contains(name) ? ["--\(name)"] : [flag(name), value]
            }
            let byFlag = try await config(file + flags, environment: environment)
            for line in byFlag.values {
                #expect(line.origin == flag(line.name))
                #expect(line.value == (bare.contains(line.name) ? "true" : values[line.name]), "\(line)")
            }
        }
    }

    @Test("The help shows the flag of each setting")
    func help() async throws {
        let help = try await run(["serve", "--help"]).output
        let names = try await config().keys
        #expect(names.count > 30)
        for name in names { #expect(help.contains("  \(flag(name)) "), "\(name)") }
    }

    @Test(
        "A name, a colour, a language or a link that cannot be used is one error, which names the setting and the fault",
        arguments: [
            ("name", String(repeating: "a", count: 10_000), "10000 characters"), ("name", " ", "empty"),
            ("name", "a\u{202E}b", "U+202E"), ("name", "two\nlines", "U+000A"),
            ("description", String(repeating: "a", count: 301), "301 characters"),
            ("description", "a\u{7}", "U+0007"), ("accent-color", "red", "#8a5a2b"),
            ("accent-color", "#12345", "#8a5a2b"),
            ("language", "fr", "auto, en or de"), ("imprint-url", "javascript:alert(1)", "/imprint"),
            ("terms-url", "//evil.example", "/imprint"), ("privacy-url", "ftp://club.example", "/imprint"),
        ])
    func badNames(setting: String, value: String, words: String) async throws {
        try await withScratch { scratch in
            try scratch.write(String(decoding: try JSONEncoder().encode([setting: value]), as: UTF8.self), to: "c.json")
            for arguments in [["config"], ["serve", "--storage", scratch.path + "/Storage"]] {
                let result = try await run(arguments + ["--config", scratch.path + "/c.json"])
                #expect(result.status == 2, "\(result.status)")
                let errors = result.errors.prefix(600)
                #expect(errors.contains(words) && errors.contains(setting), "\(errors)")
                #expect(result.errors.count < 600)
            }
        }
    }

    @Test("An icon that is no picture, is small, or does not exist keeps the service from starting, and says why")
    func badIcons() async throws {
        try await withScratch { scratch in
            for (file, words) in [
                (Fixture.path("text.jpg"), "text"), (Fixture.path("damaged.jpg"), "damaged"),
                (Fixture.path("size-97x61.jpg"), "192"), (scratch.path + "/none.png", "none.png"),
                (scratch.path, "file"),
            ] {
                let result = try await run(["serve", "--storage", scratch.path + "/Storage", "--icon", file])
                #expect(result.status == 2, "\(result)")
                #expect(result.errors.contains("icon: ") && result.errors.contains(words), "\(result)")
            }
        }
    }

    @Test("A fault in one setting does not keep a command from running that needs another")
    func others() async throws {
        try await withScratch { scratch in
            let storage = ["--storage", scratch.path]
            let status = try await run(["status"] + storage, environment: ["TINTYPE_WORKERS": "many"])
            #expect(status.status == 75 && status.errors.contains("no service"), "\(status)")
            let limits = try await run(
                ["photo", "render", Fixture.path("size-24x16.jpg"), "--out", scratch.path],
                environment: ["TINTYPE_LISTEN": "nowhere"])
            #expect(limits.status == 0, "\(limits)")
        }
    }
}
