import Client
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite(
    "tintype invite: the children of a class, and invitations that removed people may know", .timeLimit(.minutes(20)))
struct InviteCommandTests {
    private func json(_ line: some StringProtocol) throws -> JSON {
        try JSONDecoder().decode(JSON.self, from: Data(line.utf8))
    }

    @Test("An admin who removes a user learns of the invitations with which the person can come in again")
    func removed() async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: "\(scratch.path)/Storage")
            func tintype(_ arguments: String...) async throws -> (status: Int32, output: String, errors: String) {
                try await run(arguments + ["--storage", daemon.storage])
            }
            let names = ["ann", "bob", "eve"]
            for name in names {
                let made = try await tintype("user", "add", "\(name)@example.com", "--uid", name, "--generate-password")
                #expect(made.status == 0, "\(made)")
            }
            let invited = try json(try await tintype("invite", "add", "--code", "--json").output)
            let id = try #require(invited["id"].string)
            for (name, words) in zip(names, ["1 invitation has some", "2 invitations have some", nil]) {
                let removed = try await tintype("user", "rm", name, "--yes")
                #expect(removed.status == 0 && removed.output == "deleted  \(name)\n", "\(removed)")
                let isTold = removed.errors.contains("can come in again")
                #expect(isTold == (words != nil) && words.map(removed.errors.contains) ?? true, "\(removed)")
                if name == "ann" { #expect(try await tintype("invite", "add").status == 0) }
                guard name == "bob" else { continue }
                #expect(try await tintype("invite", "rm", id).status == 0)
                let page = try await tintype("invite", "ls", "--json").output.split(separator: "\n")
                for line in page where try json(line)["state"].string == "valid" {
                    #expect(try await tintype("invite", "rm", try #require(try json(line)["id"].string)).status == 0)
                }
            }
            try await daemon.stop()
        }
    }

    @Test("An invitation is withdrawn by its id, its code or its link, and a useless one comes with a warning")
    func withdrawn() async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: "\(scratch.path)/Storage", arguments: ["--sign-up", "none"])
            func tintype(_ arguments: [String]) async throws -> (status: Int32, output: String, errors: String) {
                try await run(["invite"] + arguments + ["--storage", daemon.storage])
            }
            for isShort in [true, false] {
                let made = try await tintype(isShort ? ["add", "--code", "--json"] : ["add", "--json"])
                #expect(made.errors.contains("--sign-up invitation"), "\(made)")
                let document = try json(made.output)
                let (id, code) = (try #require(document["id"].string), try #require(document["code"].string))
                // The code of a link may begin with a dash, like an option.
                for name in [isShort ? code : id, "https://photos.example/join#\(code)", id] {
                    let gone = try await tintype(["rm", name])
                    #expect(gone.output == "withdrawn  \(id)\n", "\(gone)")
                }
            }
            let unknown = try await tintype(["rm", "2222-2222"])
            #expect(unknown.status == 1 && unknown.errors.contains("tintype invite ls"), "\(unknown)")
            try await daemon.stop()
        }
    }

    @Test("The children of a class are listed, get another picture, and are removed")
    func children() async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: "\(scratch.path)/Storage")
            typealias Outcome = (status: Int32, output: String, errors: String)
            func tintype(_ arguments: String..., typing: String? = nil) async throws -> Outcome {
                try await run(["invite"] + arguments + ["--storage", daemon.storage], terminalInput: typing)
            }
            func enter(_ code: String, _ name: String, _ picture: String, isNew: Bool = false) async throws -> Answer {
                let body =
                    #"{"invitation":"\#(code)","displayName":"\#(name)","picture":"\#(picture)","isNew":\#(isNew)}"#
                return try await daemon.client.ask(
                    .post, "/identitytoolkit.googleapis.com/v1/accounts:signInWithClassCode?key=x",
                    headers: [.contentType: "application/json"], body: .bytes(Array(body.utf8)))
            }
            let audience = #"{"name":"7b","kind":"class","members":{"maria":"owner"}}"#
            let made = try await daemon.client.ask(
                .put, "/v1/audiences/7b", headers: [.contentType: "application/json"],
                body: .bytes(Array(audience.utf8)))
            #expect(made.status == 201, "\(made.text)")
            #expect(try await tintype("children", "ls", "7b").errors.contains("no children"))
            let code = try await tintype("add", "--audience", "7b", "--no-address").output.trimmingCharacters(
                in: .newlines)
            for name in ["Mia", "Jan"] { #expect(try await enter(code, name, "kite", isNew: true).status == 200) }

            let listed = try await tintype("children", "ls", "7b", "--json").output.split(separator: "\n").map {
                try json($0)
            }
            #expect(listed.map { $0["name"].string } == ["Jan", "Mia"])
            let lines = try await tintype("children", "ls", "7b").output.split(separator: "\n")
            #expect(lines.count == 2 && lines[0].hasPrefix("Jan") && lines[1].hasPrefix("Mia"), "\(lines)")

            let changed = try await tintype("children", "set", "7b", "mi\u{200B}a", "--picture", "fish")
            #expect(changed.status == 0 && changed.output == "changed  Mia\n", "\(changed)")
            #expect(try await enter(code, "Mia", "kite").status == 400)
            #expect(try await enter(code, "Mia", "fish").status == 200)

            let kept = try await tintype("children", "rm", "7b", "mia", typing: "no\n")
            #expect(kept.status == 1 && kept.errors.contains("Delete the account of Mia"), "\(kept)")
            let removed = try await tintype("children", "rm", "7b", "Mia", "--yes", "--json")
            #expect(try json(removed.output)["deleted"].bool == true, "\(removed)")
            #expect(try await enter(code, "Mia", "fish").status == 400)
            let uid = try #require(listed[0]["uid"].string)
            let byID = ["invite", "children", "rm", "--yes", "--storage", daemon.storage, "--", "7b", uid]
            #expect(try await run(byID).output == "removed  Jan\n")

            let refused: [(arguments: [String], status: Int32, words: String)] = [
                (["set", "7b", "Mia", "--picture", "fish"], 1, "there is no child \"Mia\" in 7b"),
                (["set", "7b", "Mia", "--picture", "photo"], 2, "photo"),
                (["set", "7b", "Mia"], 2, "--picture"),
                (["rm", "7b", "Mia", "--yes"], 1, "there is no child"), (["rm", "7b", "Mia"], 1, "there is no child"),
                (["ls", "8c"], 1, "the audience does not exist"),
            ]
            for row in refused {
                let done = try await run(["invite", "children"] + row.arguments + ["--storage", daemon.storage])
                #expect(done.status == row.status && done.errors.contains(row.words), "\(row): \(done)")
            }
            try await daemon.stop()
        }
    }
}
