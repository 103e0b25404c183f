import Foundation
import Glibc
import Keeping
import Service
import Store
import TestSupport
import Testing
import TreeModel
import Uploads

@testable import Tree

@Suite("tintype store check, verify, repair, gc, and post show", .timeLimit(.minutes(10)))
struct StoreCheckCommandTests {
    /// Creates a store with a post whose thumb is truncated, and a file that nothing names.
    private func damaged(_ scratch: Scratch, _ daemon: Daemon) async throws -> String {
        let post = try await daemon.upload(try Fixture.bytes("baseline-420.jpg"), by: "maria")
        let folder = daemon.storage + "/blobs/maria/\(post)"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        let thumb = URL(fileURLWithPath: "\(folder)/\(try #require(names.first { $0.hasPrefix("thumb-") }))")
        try Data(try Data(contentsOf: thumb).dropLast(9)).write(to: thumb)
        try Data([1]).write(to: URL(fileURLWithPath: "\(folder)/stray.jpg"))
        return post
    }

    @Test("Accounts are checked, too: after a repair, a person is found by the address again")
    func accounts() async throws {
        try await withScratch { scratch in
            let path = scratch.path + "/Storage"
            let daemon = try await Daemon(storage: path)
            func tintype(_ arguments: String...) async throws -> (status: Int32, output: String, errors: String) {
                try await run(arguments + ["--storage", path])
            }
            let added = try await tintype("user", "add", "maria@example.com", "--uid", "maria", "--generate-password")
            #expect(added.status == 0, "\(added)")
            #expect(try await tintype("store", "check").status == 0)
            #expect(try await daemon.stop() == 0)
            let storage = try await StorageFolder.open(path: path)
            try await storage.tree.set(TreePath(["emails"], in: Namespace(reserved: "accounts")), to: nil)
            await storage.close()

            let again = try await Daemon(storage: path)
            let check = try await tintype("store", "check")
            #expect(check.status == 3 && check.output.contains("account_unlisted  accounts:/emails/"), "\(check)")
            #expect(try await tintype("user", "show", "maria@example.com").status == 1)
            let repair = try await tintype("store", "repair")
            #expect(repair.status == 0 && repair.output.contains("[repaired]"), "\(repair)")
            #expect(try await tintype("user", "show", "maria@example.com").status == 0)
            #expect(try await again.stop() == 0)
            #expect(try await tintype("store", "check").status == 0)
        }
    }

    @Test(
        "A store that cannot be opened is reported as such, and no command ends with the code for a retry",
        arguments: [true, false])
    func unusable(isMissing: Bool) async throws {
        try await withScratch { scratch in
            let storage = scratch.path + "/Storage"
            let daemon = try await Daemon(storage: storage)
            _ = try await daemon.upload(try Fixture.bytes("baseline-420.jpg"), by: "maria")
            #expect(try await daemon.stop() == 0)
            let database = URL(filePath: storage + "/tree.sqlite")
            if isMissing {
                try FileManager.default.removeItem(at: database)
            } else {
                try Data(Data(contentsOf: database).prefix(5000)).write(to: database)
            }
            for command in [
                ["store", "check"], ["store", "repair"], ["backup", "\(scratch.path)/backups"], ["serve"],
            ] {
                let told = try await run(command + ["--storage", storage])
                let isAudit = command[0] == "store"
                #expect(told.status == (isAudit && !isMissing ? 3 : 1), "\(told)")
                let said = isAudit && !isMissing ? told.output : told.errors
                #expect(said.contains(isMissing ? database.path : isAudit ? "tree_damaged  tree.sqlite" : "backup"))
                #expect(FileManager.default.fileExists(atPath: database.path) != isMissing)
            }
        }
    }

    @Test("On a read-only disk, audits and backups end with 1, the code without a retry, and name the path")
    func readOnly() async throws {
        try await withScratch { scratch in
            let (disk, other) = (scratch.path + "/disk", scratch.path + "/Storage")
            try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
            guard mount("tmpfs", disk, "tmpfs", 0, "size=64m") == 0 else {
                print("skipped: mounting is not allowed here (\(String(cString: strerror(errno))))")
                return
            }
            defer { umount2(disk, Int32(MNT_DETACH)) }
            let storage = disk + "/Storage"
            let daemon = try await Daemon(storage: storage)
            _ = try await daemon.upload(try Fixture.bytes("baseline-420.jpg"), by: "maria")
            #expect(try await daemon.stop() == 0)
            try #require(mount("tmpfs", disk, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0)
            for arguments in [["store", "check"], ["store", "verify"], ["backup", "\(scratch.path)/backups"]] {
                let told = try await run(arguments + ["--storage", storage])
                #expect(told.status == 1 && told.errors.contains(storage), "\(arguments): \(told)")
            }
            let beside = try await Daemon(storage: other)
            let backup = try await run(["backup", "\(disk)/backups", "--storage", other])
            #expect(backup.status == 1 && backup.errors.contains(disk), "\(backup)")
            #expect(try await beside.stop() == 0)
        }
    }

    @Test(
        "Commands report, repair and delete findings, and exit with 3 while a finding is left",
        arguments: [true, false])
    func commands(beside isRunning: Bool) async throws {
        try await withScratch { scratch in
            let storage = scratch.path + "/Storage"
            let daemon = try await Daemon(storage: storage)
            let post = try await damaged(scratch, daemon)
            if !isRunning { #expect(try await daemon.stop() == 0) }
            func tintype(_ arguments: String...) async throws -> (status: Int32, output: String, errors: String) {
                try await run(arguments + ["--storage", storage])
            }

            let check = try await tintype("store", "check")
            #expect(check.status == 3 && check.output.contains("rendition_wrong_size  blobs/maria/\(post)/thumb-"))
            #expect(check.output.contains("orphaned_file  blobs/maria/\(post)/stray.jpg"), "\(check)")
            // Each line of the progress is new, and says how far the check has come.
            let progress = check.errors.split(separator: "\n").filter { $0.contains("posts") }
            #expect(progress.count == 1 && progress[0].contains("1/1 posts (100 %)"), "\(check)")
            let json = try await tintype("store", "check", "--json")
            #expect(json.status == 3 && json.output.contains(#""kind":"orphaned_file""#))
            #expect(json.output.split(separator: "\n").last?.contains(#""finished":true"#) == true)
            #expect(try await tintype("store", "check", "--user", "jan").status == 0)
            #expect(
                try await tintype("store", "verify", "--older-than", "30d", "--rate", "50", "--sample", "100").status
                    == 3)

            let plan = try await tintype("store", "repair", "--dry-run")
            #expect(plan.status == 3 && !plan.output.contains("[repaired]"))
            let repair = try await tintype("store", "repair")
            #expect(repair.status == 3 && repair.output.contains("[repaired]"), "the stray file is left: \(repair)")
            #expect(try await tintype("store", "gc").errors.contains("--delete"))
            let gc = try await tintype("store", "gc", "--delete")
            #expect(gc.status == 0 && gc.output.contains("[deleted]"), "\(gc)")
            let clean = try await tintype("store", "verify")
            #expect(clean.status == 0 && clean.output.contains("all is well"), "\(clean)")

            let explain = try await tintype("post", "show", post)
            #expect(explain.status == 0 && explain.output.contains("owner: maria"), "\(explain)")
            #expect(explain.output.contains("garbage: blobs/maria/\(post)/thumb-"), "the truncated file, for a while")
            #expect(try await tintype("post", "show", post, "--json").output.contains(#""use":"shown""#))
            if isRunning { #expect(try await daemon.stop() == 0) }
        }
    }

    @Test(
        "Wrong options are refused with 2, and missing items with 1",
        arguments: [
            (["store", "verify", "--older-than", "soon"], 2, "soon"),
            (["store", "verify", "--sample", "0"], 2, "sample"),
            (["store", "verify", "--rate", "0"], 2, "rate"), (["store", "gc", "--max-share", "200"], 2, "max-share"),
            (["store", "check", "--user", "a/b"], 1, "no person or account"), (["post", "show"], 2, "post show"),
            (["store", "repair", "--row", "/a"], 2, "--drop"), (["store", "repair", "--drop"], 2, "--row"),
            (["store", "repair", "--row", "/a", "--drop", "--value", "1"], 2, "one of"),
            (["store", "repair", "--row", "/a", "--drop", "--read"], 2, "--read"),
            (["post", "show", "nothing"], 1, "nothing"),
            (["post", "show", "-OaBcDeFgHiJkLmNoPqR"], 1, "nothing has the id"),
        ] as [([String], Int32, String)])
    func refused(_ arguments: [String], status: Int32, word: String) async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            let result = try await run(arguments + ["--storage", daemon.storage])
            #expect(result.status == status && result.errors.contains(word), "\(result)")
            #expect(try await daemon.stop() == 0)
        }
    }

    @Test("A torn page of the database is found and named")
    func tornPage() async throws {
        try await withScratch { scratch in
            let storage = scratch.path + "/Storage"
            let daemon = try await Daemon(storage: storage)
            for _ in 0..<20 { _ = try await daemon.upload(try Fixture.bytes("baseline-420.jpg"), by: "maria") }
            #expect(try await daemon.stop() == 0)
            #expect(try await run(["store", "check", "--storage", storage]).status == 0)
            let file = URL(fileURLWithPath: storage + "/tree.sqlite")
            var bytes = try Data(contentsOf: file)
            // Half of a page in the middle is from another time.
            let start = bytes.count / 2 / 4096 * 4096
            bytes.replaceSubrange(start..<start + 2048, with: Data(repeating: 0xA5, count: 2048))
            try bytes.write(to: file)
            let check = try await run(["store", "check", "--storage", storage])
            #expect(check.status == 3 && check.output.contains("tree_damaged  tree.sqlite"), "\(check)")
        }
    }

    @Test("A row that cannot be read is named, and an operator's value replaces it while no service runs")
    func damagedRow() async throws {
        try await withScratch { scratch in
            let storage = scratch.path + "/Storage"
            func tintype(_ arguments: String...) async throws -> (status: Int32, output: String, errors: String) {
                try await run(arguments + ["--storage", storage])
            }
            let first = try await Daemon(storage: storage)
            _ = try await first.upload(try Fixture.bytes("baseline-420.jpg"), by: "maria")
            #expect(try await tintype("backup", scratch.path + "/backups").status == 0)
            #expect(try await first.stop() == 0)
            try await damageName(in: storage)

            let row = "/people/maria/full_name"
            let check = try await tintype("store", "check")
            #expect(check.status == 3 && check.output.contains("tree_damaged  \(row)  "), "\(check)")
            let second = try await Daemon(storage: storage)
            _ = try await second.upload(try Fixture.bytes("baseline-420.jpg"), by: "jan")
            try await eventually {
                try await second.get("/v1/status").json["sweeps"]["message"].string?.contains(row) == true
            }
            let refused = try await tintype("store", "repair", "--row", row, "--drop")
            #expect(refused.status != 0 && refused.output.isEmpty && !refused.errors.isEmpty, "\(refused)")
            #expect(try await second.stop() == 0)

            let replaced = try await tintype("store", "repair", "--row", row, "--value", #""maria""#)
            #expect(replaced.status == 0 && replaced.output.contains("replaced  \(row)"), "\(replaced)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: storage + "/damaged").count == 1)
            let again = try await tintype("store", "repair", "--row", row, "--drop")
            #expect(again.status == 1 && again.errors.contains("no row at \(row) is damaged"), "\(again)")
            #expect(try await tintype("store", "check").status == 0)

            try await damageName(in: storage)
            let taken = try await tintype(
                "store", "repair", "--row", row, "--from-backup", scratch.path + "/backups", "--json")
            #expect(taken.status == 0 && taken.output.contains(#""replacement":"\"maria\"""#), "\(taken)")
            let well = try await tintype("store", "check")
            #expect(well.status == 0 && well.output.contains("all is well"), "\(well)")
        }
    }

    /// Replaces maria's name with bytes that are not a leaf.
    private func damageName(in storage: String) async throws {
        let engine = try SQLiteEngine(path: storage + "/tree.sqlite")
        try await engine.write { transaction throws(TreeError) in
            try transaction.put([9], for: StoreFormat.dataKey("people/maria/full_name"))
        }
        await engine.close()
    }
}
