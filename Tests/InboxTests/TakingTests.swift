import API
import Files
import Foundation
import Glibc
import Model
import NIOCore
import Service
import Store
import Synchronization
import TestSupport
import Testing
import Tree
import Uploads

@testable import Inbox

@Suite("Claims: from other file systems, from active writers, from many users at once", .timeLimit(.minutes(20)))
struct TakingTests {
    private static let photo = "baseline-420.jpg"

    @Test("An inbox on another file system: files are copied, compared and deleted; each is one post, as ever")
    func copies() async throws {
        try await withInbox(intake: { $0.copies = true }) { running in
            try running.scratch.write(#"{"text": "copied"}"#, to: "Storage/packing/maria/a.jpg.json")
            try running.drop(Self.photo, as: "../packing/maria/a.jpg")
            try running.move("packing/maria", to: "inbox/maria")
            try running.drop(Self.photo, as: "../packing/b.post/1.jpg")
            try running.drop(Self.photo, as: "../packing/b.post/2.jpg")
            try running.move("packing/b.post", to: "inbox/maria/album/b.post")
            try running.drop("text.jpg", as: "maria/c.jpg")
            _ = try await running.document("done/maria/a.jpg.receipt.json")
            _ = try await running.document("done/maria/album/b.post.receipt.json")
            _ = try await running.document("failed/unsupported_format/maria/c.jpg.reason.json")
            try await eventually { try running.storage.incoming.names().isEmpty }
            #expect(try running.storage.inbox.folder("maria").names() == ["album"])
            #expect(try running.storage.inbox.folder("maria").folder("album").names().isEmpty)
            #expect(running.scratch.exists("Storage/done/maria/album/b.post/2.jpg"))
            let posts = try await running.posts()
            #expect(posts.count == 2 && posts.contains { $0["text"] == "copied" })
        }
    }

    @Test(
        "A copy from another file system that is cut off at any point still leads to one post of the whole file",
        arguments: ["claimed", "half copied", "copied", "copied and deleted"])
    func cutOff(moment: String) async throws {
        try await withScratch { scratch in
            let bytes = try Fixture.bytes(Self.photo)
            try await withPipeline(in: scratch, runs: false) { running in
                var request = UploadRequest(owner: try #require(UserID("maria")), intake: .inbox)
                request.source = "album/a.jpg"
                let record = try await running.reserve(request)
                let hidden = "Storage/inbox/maria/album/.\(record.id).claim"
                if moment != "copied and deleted" { try scratch.write(bytes, to: hidden) }
                if moment == "half copied" {
                    try scratch.write(Array(bytes.prefix(99)), to: "Storage/incoming/\(record.id)/.copy.part")
                }
                if moment.hasPrefix("copied") { try scratch.write(bytes, to: "Storage/incoming/\(record.id)/a.jpg") }
            }
            try await withInbox(in: scratch, intake: { $0.copies = true }) { running in
                let receipt = try await running.document("done/maria/album/a.jpg.receipt.json")
                #expect(receipt["outcome"] == "published")
                try await eventually { try await running.storage.tree.get(UploadNodes.queued()) == nil }
                #expect(try await running.posts().count == 1)
                let done = URL(fileURLWithPath: "\(scratch.path)/Storage/done/maria/album/a.jpg")
                #expect(try Array(Data(contentsOf: done)) == bytes)
                let left = (try? running.storage.inbox.folder("maria").folder("album").names()) ?? []
                #expect(left.isEmpty)
            }
        }
    }

    @Test("An inbox with its own file system below it works")
    func mounted() async throws {
        try await withScratch { scratch in
            let folder = "\(scratch.path)/Storage/inbox/maria"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            guard mount("tmpfs", folder, "tmpfs", 0, "size=8m") == 0 else {
                print("skipped: mounting is not allowed here (\(String(cString: strerror(errno))))")
                return
            }
            defer { umount2(folder, Int32(MNT_DETACH)) }
            try await withInbox(in: scratch) { running in
                try scratch.write(Fixture.bytes(Self.photo), to: "Storage/inbox/maria/a.jpg")
                try scratch.write(Fixture.bytes("text.jpg"), to: "Storage/inbox/maria/b.jpg")
                #expect(mkfifo("\(folder)/pipe.jpg", 0o600) == 0)
                try scratch.write("x", to: "Storage/inbox/maria/two.jpg")
                #expect(link("\(folder)/two.jpg", "\(folder)/.other") == 0)
                _ = try await running.document("done/maria/a.jpg.receipt.json")
                _ = try await running.document("failed/unsupported_format/maria/b.jpg.reason.json")
                _ = try await running.document("failed/wrong_kind/maria/pipe.jpg.reason.json")
                _ = try await running.document("failed/hard_linked/maria/two.jpg.reason.json")
                try await eventually { scratch.exists("Storage/failed/hard_linked/maria/two.jpg") }
                try await eventually { try running.storage.inbox.folder("maria").names() == [".other"] }
                #expect(try await running.posts().count == 1)
            }
        }
    }

    @Test("An inbox may be mounted over, or deleted and restored, while the service runs", arguments: [true, false])
    func anotherInbox(isMount: Bool) async throws {
        try await withInbox { running in
            try running.drop(Self.photo, as: "maria/before.jpg")
            _ = try await running.document("done/maria/before.jpg.receipt.json")
            let inbox = "\(running.scratch.path)/Storage/inbox"
            if isMount {
                guard mount("tmpfs", inbox, "tmpfs", 0, "size=8m") == 0 else {
                    print("skipped: mounting is not allowed here (\(String(cString: strerror(errno))))")
                    return
                }
            } else {
                try FileManager.default.removeItem(atPath: inbox)
                try await eventually { running.scratch.exists("Storage/inbox") }
            }
            defer { if isMount { umount2(inbox, Int32(MNT_DETACH)) } }
            try running.scratch.write(Fixture.bytes(Self.photo), to: "Storage/inbox/maria/after.jpg")
            _ = try await running.document("done/maria/after.jpg.receipt.json")
            #expect(try await running.posts().count == 2)
        }
    }

    @Test("A file that its writer continues to write after the claim is returned: no half of it is ever a post")
    func writerThatStayed() async throws {
        try await withScratch { scratch in
            let bytes = try Fixture.bytes(Self.photo)
            let writer = Mutex<FileHandle?>(nil)
            try await withPipeline(in: scratch, runs: false) { running in
                var request = UploadRequest(owner: try #require(UserID("maria")), intake: .inbox)
                request.source = "a.jpg"
                let record = try await running.reserve(request)
                let name = "Storage/incoming/\(record.id)/a.jpg"
                try scratch.write(Array(bytes.prefix(500)), to: name)
                let handle = try #require(FileHandle(forWritingAtPath: "\(scratch.path)/\(name)"))
                try handle.seekToEnd()
                writer.withLock { $0 = handle }
            }
            try await withInbox(in: scratch) { running in
                try await eventually { scratch.exists("Storage/inbox/maria/a.jpg") }
                #expect(try await running.posts().isEmpty)
                try writer.withLock { handle in
                    try handle?.write(contentsOf: bytes.dropFirst(500))
                    try handle?.close()
                }
                let receipt = try await running.document("done/maria/a.jpg.receipt.json")
                let whole = try await running.upload([("a", bytes)], by: "kim")
                #expect(receipt["sha256"] == whole.photos[0]?.sha256)
                #expect(!scratch.exists("Storage/failed/truncated"))
            }
        }
    }

    @Test("A file that changes while it is read is not ingested", arguments: ["open", "written", "unchanged"])
    func changedWhileRead(what: String) async throws {
        try await withPipeline(runs: false) { running in
            let bytes = try Fixture.bytes(Self.photo)
            try running.scratch.write(bytes, to: "a.jpg")
            let request = UploadRequest(owner: try #require(UserID("maria")), intake: .inbox)
            let record = try await running.reserve(request)
            let reader = try running.scratch.directory().file("a.jpg")
            let writer = what == "open" ? FileHandle(forWritingAtPath: "\(running.scratch.path)/a.jpg") : nil
            let before = try reader.version()
            if what == "written" {
                try await eventually {
                    try running.scratch.write(bytes + [0], to: "a.jpg")
                    return try reader.version() != before
                }
            }
            do {
                var session = running.pipeline.receiver.resume(record)
                try await session.copy(reader, named: "a.jpg")
                let (photos, byteCount) = (session.photos, try reader.byteCount())
                #expect(what != "open" && photos.map(\.byteCount) == [byteCount])
            } catch let fault as Failure {
                #expect(what == "open" && fault.code == .changedWhileRead && fault.isTransient)
            }
            try writer?.close()
        }
    }

    @Test("A truncated file that is not open waits for the quiet time, and is then refused")
    func brokenOff() async throws {
        try await withInbox(intake: { $0.quietTime = .seconds(3600) }) { running in
            let bytes = try Fixture.bytes(Self.photo)
            let path = "Storage/inbox/maria/a.jpg"
            try running.scratch.write(Array(bytes.prefix(600)), to: path)
            let writer = try #require(FileHandle(forWritingAtPath: "\(running.scratch.path)/\(path)"))
            try writer.seekToEnd()
            try writer.write(contentsOf: bytes.dropFirst(600))
            try writer.close()
            _ = try await running.document("done/maria/a.jpg.receipt.json")
            try running.scratch.write(Array(bytes.prefix(600)), to: "Storage/inbox/maria/b.jpg")
            running.clock.advance(by: 3_600_000)
            _ = try await running.document("failed/truncated/maria/b.jpg.reason.json")
        }
    }

    @Test("Users take turns: one user's file does not wait for another's many, which are claimed in the order of names")
    func schedule() async throws {
        try await withScratch { scratch in
            let photo = try Fixture.bytes(Self.photo)
            for number in 0..<120 { try scratch.write(photo, to: "Storage/inbox/amy/\(1000 + number).jpg") }
            try scratch.write(photo, to: "Storage/inbox/zoe/only.jpg")
            // All files are unchanged at the first walk.
            try await withInbox(in: scratch, intake: { $0.quietTime = .zero }) { running in
                try await eventually { try await running.posts().count == 121 }
                var sources: [String] = []
                for id in try await running.storage.tree.keys(of: PostNodes.post()) {
                    let record = try await running.pipeline.store.record(of: try #require(PostID(id.description)))
                    sources.append("\(record?.owner.description ?? "")/\(record?.source ?? "")")
                }
                let place = try #require(sources.firstIndex(of: "zoe/only.jpg"))
                #expect(place < 3)
                let amys = sources.filter { $0.hasPrefix("amy") }
                #expect(amys == amys.sorted())
            }
        }
    }

    @Test("An overflow of the kernel's queue of events leads to a full walk, and no file is forgotten")
    func overflow() async throws {
        try await withScratch { scratch in
            let hints = try InboxEvents(inbox: scratch.directory())
            #expect(!hints.take(10).isIncomplete)
            var event = ByteBuffer()
            event.writeMultipleIntegers(Int32(-1), UInt32(IN_Q_OVERFLOW), UInt32(0), UInt32(0), endianness: .host)
            hints.note(event)
            #expect(hints.take(10).isIncomplete)
            #expect(!hints.take(10).isIncomplete, "reported once")
            var schedule = FairSchedule()
            schedule.beginRound(every: .seconds(3600), atMost: .seconds(3600))
            while let (root, _) = schedule.next() { schedule.went(nil, of: root, in: .zero) }
            schedule.beginRound(every: .seconds(3600), atMost: .seconds(3600))
            #expect(schedule.next() == nil, "it is not time for another walk")
            schedule.add(InboxEvents.News(isIncomplete: true))
            schedule.beginRound(every: .seconds(3600), atMost: .seconds(3600))
            #expect(schedule.next()?.root == .inbox)
        }
    }

    @Test("Names that the kernel reports are remembered up to a bound; a walk finds the rest")
    func bound() async throws {
        try await withScratch { scratch in
            let hints = try InboxEvents(inbox: scratch.directory())
            for number in 0..<70_000 {
                var event = ByteBuffer()
                let name = Array("\(number).jpg".utf8) + [0]
                event.writeMultipleIntegers(
                    Int32(1), UInt32(IN_CLOSE_WRITE), UInt32(0), UInt32(name.count), endianness: .host)
                event.writeBytes(name)
                hints.note(event)
            }
            #expect(hints.take(10).isIncomplete)
            try await eventually { hints.take(100_000).names.count + 1 > 1 }
        }
    }

    @Test("A folder that cannot be used is named with the failed call, once, and others continue")
    func probe() async throws {
        let faults = FolderFaults()
        let (x, y) = (FileError(.permission, "x"), FileError(.io, "y"))
        let maria = InboxFolder.Root.user(try #require(UserID("maria")))
        let zoe = InboxFolder.Root.user(try #require(UserID("zoe")))
        #expect(faults.note(x, of: .folder(maria)) && !faults.note(x, of: .folder(maria)) && faults.isBroken(maria))
        #expect(faults.note(x, of: .contents(of: maria)), "that is another fault")
        #expect(faults.note(y, of: .folder(maria)) && faults.note(nil, of: .folder(maria)))
        #expect(!faults.note(nil, of: .folder(.inbox)), "no other result was noted")
        #expect(!faults.isBroken(maria) && !faults.isWorthATry(maria) && faults.isWorthATry(zoe))
        try await withScratch { scratch in
            try scratch.write("x", to: ".tintype-probe/in the way")
            let fault = #expect(throws: FileError.self) { try FolderProbe(in: scratch.directory()).tryMoving() }
            #expect(fault?.message.contains("delete \(scratch.path)/.tintype-probe") == true)
            try FileManager.default.removeItem(atPath: "\(scratch.path)/.tintype-probe")
            try FolderProbe(in: scratch.directory()).tryMoving()
            #expect(try scratch.directory().names().isEmpty)
        }
    }

    @Test("No file is claimed from an unusable folder until it is usable; others' files are")
    func brokenFolder() async throws {
        try await withScratch { scratch in
            let obstacle = "Storage/inbox/maria/.tintype-probe"
            try scratch.write("x", to: "\(obstacle)/in the way")
            try scratch.write(Fixture.bytes(Self.photo), to: "Storage/inbox/kim/a.jpg")
            try await withInbox(in: scratch) { running in
                _ = try await running.document("done/kim/a.jpg.receipt.json")
                try running.drop(Self.photo, as: "maria/a.jpg")
                for name in ["b.jpg", "c.jpg"] {
                    try running.drop(Self.photo, as: "kim/\(name)")
                    _ = try await running.document("done/kim/\(name).receipt.json")
                }
                #expect(scratch.exists("Storage/inbox/maria/a.jpg"))
                try FileManager.default.removeItem(atPath: "\(scratch.path)/\(obstacle)")
                _ = try await running.document("done/maria/a.jpg.receipt.json")
            }
        }
    }
}
