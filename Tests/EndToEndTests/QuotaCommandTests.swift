import Client
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("tintype quota", .timeLimit(.minutes(10)))
struct QuotaCommandTests {
    @Test("It prints each user's kinds and the total, beside the service and without it", arguments: [true, false])
    func table(beside isRunning: Bool) async throws {
        try await withScratch { scratch in
            let storage = scratch.path + "/Storage"
            let daemon = try await Daemon(storage: storage)
            let photo = try Fixture.bytes("baseline-420.jpg")
            _ = try await daemon.upload(photo, by: "maria")
            _ = try await daemon.upload(photo, by: "jan")
            _ = try await daemon.upload(try Fixture.bytes("rgb-8.png"), by: "jan")
            if !isRunning { #expect(try await daemon.stop() == 0) }
            func tintype(_ arguments: String...) async throws -> (status: Int32, output: String, errors: String) {
                try await run(arguments + ["--storage", storage])
            }

            let table = try await tintype("quota", "ls")
            let lines = table.output.split(separator: "\n")
            #expect(table.status == 0 && lines.count == 3, "\(table)")
            #expect(table.errors.hasPrefix("user") && lines.last?.hasPrefix("all together") == true)
            #expect(Set(lines.map(\.count)).count == 1, "columns: \(table.output)")
            #expect(table.errors.contains("  name  ") && lines.first?.hasPrefix("jan ") == true)
            #expect(table.errors.split(separator: "\n").first?.count == lines.first?.count, "\(table)")
            let largest = try await tintype("quota", "ls", "--sort", "bytes", "--limit", "1", "--json")
            let documents = try largest.output.split(separator: "\n").map {
                try JSONDecoder().decode(Usage.self, from: Data($0.utf8))
            }
            #expect(documents.map(\.user) == ["jan", nil], "\(largest)")
            #expect(documents.last?.originals.files == 3 && documents.first?.originals.files == 2)
            let maria = try await tintype("quota", "ls", "maria", "--json")
            let usage = try JSONDecoder().decode(Usage.self, from: Data(maria.output.utf8))
            let there = try bytes(of: "\(storage)/blobs/maria")
            #expect(usage.originals.bytes == photo.count && usage.total.bytes == there)
            let nobody = try await tintype("quota", "ls", "maria", "nobody")
            #expect(nobody.status == 3 && nobody.output.contains("maria") && nobody.errors.contains("nobody"))
            #expect(try await tintype("quota", "ls", "a/b").status == 1)
            #expect(try await tintype("quota", "ls", "--sort", "age").status == 2)
            if isRunning { #expect(try await daemon.stop() == 0) }
        }
    }

    @Test("A quota is set for one user or for all, and a dropped file beyond it is put aside with its reason")
    func quota() async throws {
        try await withScratch { scratch in
            let storage = scratch.path + "/Storage"
            let daemon = try await Daemon(storage: storage, arguments: ["--user-quota", "10kB"])
            let photo = try Fixture.bytes("photo.jpg")
            await #expect(throws: (any Error).self) { _ = try await daemon.upload(photo, by: "maria") }
            _ = try await daemon.upload(try Fixture.bytes("baseline-420.jpg"), by: "maria")
            func tintype(_ arguments: String...) async throws -> (status: Int32, output: String, errors: String) {
                try await run(arguments + ["--storage", storage])
            }
            #expect(try await tintype("quota", "show", "maria").output.contains("of 9.8 KiB (user-quota)"))
            try scratch.write(photo, to: "Storage/inbox/maria/lake.jpg")
            let reason = storage + "/failed/quota_exceeded/maria/lake.jpg.reason.json"
            try await eventually { FileManager.default.fileExists(atPath: reason) }
            #expect(try String(contentsOfFile: reason, encoding: .utf8).contains("quota_exceeded"))
            let raised = try await tintype("quota", "set", "maria", "1MB", "--json")
            #expect(raised.status == 0 && raised.output.contains(#""quota":1000000"#), "\(raised)")
            #expect(try await tintype("inbox", "retry", "--all").status == 0)
            try await eventually { try await tintype("quota", "ls", "maria", "--json").output.contains(#""files":2"#) }
            #expect(try await tintype("quota", "set", "maria", "lots").status == 2)
            for arguments in [["quota", "show", "nobody"], ["quota", "set", "nobody", "1MB"]] {
                let nobody = try await run(arguments + ["--storage", storage])
                #expect(nobody.status == 1 && nobody.errors.contains("no such person or account"), "\(nobody)")
            }
            #expect(try await tintype("person", "set", "ann", "--name", "Ann").status == 0)
            let first = try await tintype("quota", "show", "ann")
            #expect(first.status == 0 && first.output == "ann  0 bytes used, of 9.8 KiB (user-quota)\n", "\(first)")
            let set = try await tintype("quota", "set", "ann", "2MB")
            #expect(set.status == 0 && set.output == "ann  0 bytes used, of 1.9 MiB\n", "\(set)")
            #expect(try await daemon.stop() == 0)
            #expect(try await tintype("quota", "set", "maria", "none").output.contains("without a limit"))
        }
    }

    @Test("A user who signs up has the default quota, over TCP and by the inbox, and the command reports its source")
    func signedUp() async throws {
        try await withScratch { scratch in
            let storage = scratch.path + "/Storage"
            let daemon = try await Daemon(
                storage: storage, arguments: ["--listen", "127.0.0.1:0", "--user-quota", "none anonymous=10kB"])
            // An id may begin with a hyphen.
            func quota(_ arguments: String...) async throws -> (status: Int32, output: String, errors: String) {
                let verb = arguments.count == 1 ? "show" : "set"
                return try await run(["quota", verb, "--storage", storage, "--"] + arguments)
            }
            try await eventually { try text(storage + ".log").contains("http://127") }
            let log = try text(storage + ".log")
            let port = try #require(
                log.firstMatch(of: /listening on http:\/\/127\.0\.0\.1:(\d+)\//).flatMap { Int($0.1) })
            let tcp = ServiceClient(.tcp(host: "127.0.0.1", port: port))
            let person = try await tcp.ask(
                .post, "/identitytoolkit.googleapis.com/v1/accounts:signUp?key=x",
                headers: [.contentType: "application/json"], body: .bytes(Array("{}".utf8))
            ).json
            let (uid, token) = (try #require(person["localId"].string), try #require(person["idToken"].string))
            let photo = try Fixture.bytes("photo.jpg")
            let refused = try await tcp.ask(
                .post, "/v1/uploads", headers: [.authorization: "Bearer \(token)"], body: .bytes(photo))
            #expect(refused.status == 507 && refused.json["quota_for"].string == "anonymous", "\(refused.text)")
            try scratch.write(photo, to: "Storage/inbox/\(uid)/lake.jpg")
            let reason = "\(storage)/failed/quota_exceeded/\(uid)/lake.jpg.reason.json"
            try await eventually { FileManager.default.fileExists(atPath: reason) }
            // Names without an account, and accounts that an operator creates, have no such quota.
            _ = try await daemon.upload(photo, by: "maria")
            #expect(try await quota("maria").output.contains("without a limit"))
            for isRunning in [true, false] {
                if !isRunning { #expect(try await daemon.stop() == 0) }
                let told = try await quota(uid)
                #expect(told.output.contains("of 9.8 KiB (user-quota, anonymous)") == isRunning, "\(told)")
                #expect(told.status == 0, "\(told)")
            }
            let byDefault = try await quota(uid)
            #expect(byDefault.output.contains("0 bytes used, of 50.0 MiB (user-quota, anonymous)"), "\(byDefault)")
            #expect(try await quota(uid, "1MB").output.contains("of 976.6 KiB\n"))
        }
    }

    private struct Usage: Decodable {
        struct Size: Decodable { let bytes, files: Int }
        let user: String?
        let originals, total: Size
    }

    /// Returns the sizes of all files in a folder.
    private func bytes(of folder: String) throws -> Int {
        try FileManager.default.subpathsOfDirectory(atPath: folder).reduce(0) { sum, path in
            let values = try URL(fileURLWithPath: "\(folder)/\(path)").resourceValues(forKeys: [
                .isRegularFileKey, .fileSizeKey,
            ])
            return sum + (values.isRegularFile == true ? values.fileSize ?? 0 : 0)
        }
    }
}
