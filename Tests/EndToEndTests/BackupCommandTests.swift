import DaemonSupport
import Foundation
import TestSupport
import Testing

@Suite("tintype backup, restore, upgrade, and the import of a Firebase project", .timeLimit(.minutes(20)))
struct BackupCommandTests {
    @Test(
        "A store is backed up, listed, verified and restored with no errors, with and without a service",
        arguments: [true, false])
    func commands(beside isRunning: Bool) async throws {
        try await withScratch { scratch in
            let storage = scratch.path + "/Storage"
            let daemon = try await Daemon(storage: storage)
            let post = try await daemon.upload(try Fixture.bytes("baseline-420.jpg"), by: "maria")
            if !isRunning { #expect(try await daemon.stop() == 0) }
            for target in ["\(scratch.path)/backups", "\(scratch.path)/house.tar"] {
                let made = try await run(["backup", target, "--storage", storage])
                #expect(made.status == 0 && made.output.contains("files copied"), "\(made)")
                let mode = try FileManager.default.attributesOfItem(atPath: target)[.posixPermissions] as? Int
                #expect(mode.map { $0 & 0o077 } == 0, "the keys that sign tokens are in it")
                let future = try await run([
                    "backup", "restore", target, "--at", "2100-01-01", "--storage", "\(target)-future",
                ])
                #expect(future.status == 1 && future.errors.contains("ends with a backup of"), "\(future)")
                let list = try await run(["backup", "ls", target, "--json"])
                #expect(list.status == 0 && list.output.contains(#""token":"#), "\(list)")
                let verified = try await run(["backup", "verify", target])
                #expect(verified.status == 0 && verified.output.contains("all is well"), "\(verified)")
                let restored = "\(target)-restored"
                let restore = try await run(["backup", "restore", target, "--storage", restored])
                #expect(restore.status == 0, "\(restore)")
                let check = try await run(["store", "verify", "--storage", restored])
                #expect(check.status == 0 && check.output.contains("all is well"), "\(check)")
                let again = try await Daemon(storage: restored)
                #expect(try await again.get("/v1/posts/\(post)").status == 200)
                #expect(try await again.stop() == 0)
                let over = try await run(["backup", "restore", target, "--storage", restored])
                #expect(over.status == 1 && over.errors.contains("not empty"), "\(over)")
            }
            try scratch.write("no folder", to: "file")
            let nowhere = try await run(["backup", "\(scratch.path)/file/backups", "--storage", storage])
            #expect(nowhere.status == 1 && nowhere.errors.contains("file/backups"), "\(nowhere)")
            // Nobody may create anything there, root included.
            for name in ["tintype-backups", "tintype.tar"] {
                let refused = try await run(["backup", "/sys/\(name)", "--storage", storage])
                #expect(refused.status == 1 && refused.errors.contains(" cannot write to /sys"), "\(refused)")
            }
            let second = try await run(["backup", "\(scratch.path)/backups", "--storage", storage, "--json"])
            #expect(second.status == 0 && second.output.contains(#""copied":0"#), "\(second)")
            let prune = try await run(["backup", "prune", "\(scratch.path)/backups", "--keep", "1"])
            #expect(prune.status == 0 && prune.output.contains("backups removed"), "\(prune)")
            if isRunning { #expect(try await daemon.stop() == 0) }
        }
    }

    @Test("After a kill of the service during a backup, the next backup continues, and is complete")
    func killed() async throws {
        try await withScratch { scratch in
            let (storage, folder) = (scratch.path + "/Storage", scratch.path + "/backups")
            var daemon = try await Daemon(storage: storage)
            for name in ["baseline-420.jpg", "rgb-8.png", "size-24x16.gif"] {
                _ = try await daemon.upload(try Fixture.bytes(name), by: "maria")
            }
            #expect(try await daemon.stop() == 0)
            // Kills at some steps on the way: files, folders, the last sync, the document of the backup.
            for point in ["create=crash@2", "make-folder=crash@6", "create=crash@9", "fsync=crash@2", "rename=crash@2"]
            {
                let cut = try await run(
                    ["backup", folder, "--storage", storage], environment: ["TINTYPE_FAILPOINTS": "before-\(point)"])
                #expect(cut.status != 0, "\(point): \(cut)")
            }
            let whole = try await run(["backup", folder, "--storage", storage])
            #expect(whole.status == 0, "\(whole)")
            let verified = try await run(["backup", "verify", folder])
            #expect(verified.status == 0, "\(verified)")
            #expect(try await run(["backup", "restore", folder, "--storage", "\(scratch.path)/new"]).status == 0)
            #expect(try await run(["store", "verify", "--storage", "\(scratch.path)/new"]).status == 0)
            daemon = try await Daemon(storage: storage)
            #expect(try await daemon.stop() == 0)
        }
    }

    @Test(
        "An impossible request is refused by name",
        arguments: [
            (["backup", "ls", "nowhere"], 1, "nowhere"), (["backup", "prune", "nowhere", "--keep", "0"], 2, "keep"),
            (["backup", "restore", "nowhere", "--storage", "new"], 1, "nowhere"),
            (["backup", "restore", "nowhere", "--at", "soon"], 1, "soon"),
            (["store", "upgrade", "back", "--yes", "--storage", "STORAGE"], 1, "nothing to undo"),
            (["store", "upgrade", "confirm", "--storage", "STORAGE"], 1, "nothing"),
            (["backup", "STORAGE", "--storage", "STORAGE"], 1, "inside of the store"),
        ] as [([String], Int32, String)])
    func refused(_ arguments: [String], status: Int32, word: String) async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/Storage")
            #expect(try await daemon.stop() == 0)
            let named = arguments.map {
                $0 == "STORAGE" ? daemon.storage : $0 == "nowhere" ? scratch.path + "/nowhere" : $0
            }
            let result = try await run(named)
            #expect(result.status == status && result.errors.contains(word), "\(result)")
        }
    }

    @Test("A new store whose first start is cut off at any point is not an earlier one", arguments: 1...8)
    func cutOff(commits: Int) async throws {
        try await withScratch { scratch in
            let storage = scratch.path + "/Storage"
            let first = try Child(
                ["serve", "--storage", storage], output: storage + ".log", errors: storage + ".log",
                environment: ["TINTYPE_FAILPOINTS": "after-commit=crash@\(commits)"])
            try await eventually { first.exitCode != nil || scratch.exists("Storage/tintype.sock") }
            first.send(SIGKILL)
            try await first.wait()
            let daemon = try await Daemon(storage: storage)
            #expect(try await daemon.get("/v1/upgrade").text.contains(#""state":"current""#))
            #expect(try await daemon.stop() == 0)
        }
    }

    @Test("An earlier store is upgraded by the command or the service, and confirmed or restored")
    func upgrade() async throws {
        try await withScratch { scratch in
            let storage = scratch.path + "/Storage"
            try FileManager.default.copyItem(atPath: Fixture.path("store-0.1"), toPath: storage)
            let first = try await run(["store", "upgrade", "--storage", storage])
            #expect(first.status == 0 && first.output.contains("from format 1 to 2"), "\(first)")
            let back = try await run(["store", "upgrade", "back", "--yes", "--storage", storage])
            #expect(back.status == 0, "\(back)")
            let daemon = try await Daemon(storage: storage)
            try await eventually {
                try await run(["store", "upgrade", "--json", "--storage", storage]).output.contains("unconfirmed")
            }
            let status = try await run(["status", "--storage", storage])
            #expect(status.output.contains("not confirmed"), "\(status)")
            #expect(
                try await run(["store", "upgrade", "back", "--yes", "--storage", storage]).errors.contains("in use"))
            #expect(try await run(["store", "upgrade", "confirm", "--storage", storage]).status == 0)
            let done = try await run(["store", "upgrade", "--storage", storage])
            #expect(done.status == 0 && done.output.contains("nothing to do"), "\(done)")
            #expect(try await daemon.stop() == 0)
        }
    }

    @Test(
        "FriendlyPix is imported: an export of its database, a folder of its files, and each post gets new thumbnails")
    func firebase() async throws {
        try await withScratch { scratch in
            let storage = scratch.path + "/Storage"
            let daemon = try await Daemon(storage: storage, arguments: ["--namespace", "friendly"])
            let photo = try Fixture.bytes("exif-gps.jpg")
            var posts: [String] = []
            for number in 1...3 {
                let id = "-OaAaAaAaAaAaAaAaAa\(number)"
                try scratch.write(photo, to: "files/u1/full/\(id)/a b.jpg")
                try scratch.write(photo, to: "files/u1/thumb/\(id)/a b.jpg")
                posts.append(
                    """
                    "\(id)":{"full_url":"https://firebasestorage.googleapis.com/v0/b/friendly.appspot.com/o/x?alt=media",\
                    "thumb_url":"https://firebasestorage.googleapis.com/v0/b/friendly.appspot.com/o/y?alt=media",\
                    "text":"#sunny","client":"web","timestamp":150000000000\(number),\
                    "full_storage_uri":"gs://friendly.appspot.com/u1/full/\(id)/a b.jpg",\
                    "thumb_storage_uri":"gs://friendly.appspot.com/u1/thumb/\(id)/a b.jpg",\
                    "author":{"uid":"u1","full_name":"Anna"}}
                    """)
            }
            try scratch.write(
                #"{"people":{"u1":{"full_name":"Anna"}},"posts":{\#(posts.joined(separator: ","))}}"#,
                to: "firebase.json")
            let arguments = [
                "tree", "import", scratch.path + "/firebase.json", "--files", scratch.path + "/files", "--merge",
                "--storage",
                storage,
            ]
            let settings = ["TINTYPE_NAMESPACE": "friendly"]
            let moved = try await run(arguments, environment: settings)
            #expect(moved.status == 0 && moved.output.contains("6 files sent"), "\(moved)")
            for number in 1...3 {
                try await eventually {
                    try await daemon.get("/posts/-OaAaAaAaAaAaAaAaAa\(number)/photos/0/renditions/thumb.json").text
                        != "null"
                }
            }
            let again = try await run(arguments, environment: settings)
            #expect(
                again.status == 0 && again.output.contains("0 files sent to the bucket, 6 already there"), "\(again)")
            let check = try await run(["store", "verify", "--storage", storage])
            #expect(check.status == 0, "\(check)")
            #expect(try await daemon.stop() == 0)
        }
    }
}
