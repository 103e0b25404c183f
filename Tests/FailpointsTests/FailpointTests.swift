import Foundation
import Glibc
import Testing

@testable import Failpoints

@Suite("Failpoints")
struct FailpointTests {
    @Test(
        "A rule specifies where, what and when",
        arguments: [
            ("before-rename:/blobs/=crash@3", "before", "rename", "/blobs/", FailpointRule.Action.crash, 3, false),
            ("after-commit=pause(/tmp/a=b)", "after", "commit", "", .pause(while: "/tmp/a=b"), 1, false),
            ("before-fsync:.part=EIO@2+", "before", "fsync", ".part", .fail(EIO), 2, true),
            ("before-make-folder=ENOSPC", "before", "make-folder", "", .fail(ENOSPC), 1, false),
            ("after-step:reserved-ingested=crash", "after", "step", "reserved-ingested", .crash, 1, false),
        ])
    func rules(
        text: String, side: String, point: String, place: String, action: FailpointRule.Action, first: Int,
        isLasting: Bool
    ) throws {
        let rule = try #require(FailpointRule(text[...]))
        #expect(rule.side?.rawValue == side)
        #expect(rule.point?.rawValue == point)
        #expect(rule.place == place)
        #expect(rule.action == action)
        #expect(rule.first == first)
        #expect(rule.isLasting == isLasting)
    }

    @Test(
        "A malformed rule is refused",
        arguments: [
            "crash", "before-rename", "=crash", "before-=crash", "before-juggle=crash", "during-rename=crash",
            "before-rename=explode", "before-rename=crash@0", "before-rename=crash@x", "after-rename=EIO",
            "before-rename=EWHATEVER", ":=crash", ":/blobs/=crash", "before-rename=skip", "after-fsync=skip",
            "before-rename=pause(",
        ])
    func noRules(text: String) {
        #expect(FailpointRule(text[...]) == nil)
        #expect(FailpointRules("before-fsync=crash;\(text)").problem?.contains(text) == true)
    }

    @Test("A matching call fails from the specified match on, and is not performed")
    func failing() {
        let rules = FailpointRules("before-fsync:.part=EIO@2+;before-rename=ENOSPC@1")
        #expect(rules.apply(.fsync, .before, "a.part") == 0)
        #expect(rules.apply(.fsync, .before, "a.jpg") == 0)
        #expect(rules.apply(.fsync, .before, "b.part") == EIO)
        #expect(rules.apply(.fsync, .before, "c.part") == EIO)
        #expect(rules.apply(.rename, .before, "x") == ENOSPC)
        #expect(rules.apply(.rename, .before, "x") == 0)
    }

    @Test("A skipped call is not performed, and counts as successful")
    func skipping() {
        let rules = FailpointRules("before-fsync=skip@2")
        #expect(rules.apply(.fsync, .before, "a") == 0)
        #expect(rules.apply(.fsync, .before, "a") == Failpoint.skipped)
    }

    @Test("Without the environment variable, failpoints are off")
    func off() {
        #expect(!Failpoint.isOn)
        #expect(Failpoint.fsync.around("x") { Int32(7) } == 7)
    }

    /// Files that may call functions that change files outside a failpoint, and the reasons.
    private static let exceptions = [
        "FolderLock.swift": "a lock has no bytes that matter", "LineFile.swift": "a log is no data of the store",
        "FileEdit.swift": "settings are no data of the store",
        "ListenAddresses.swift": "sockets are no data",
        "FailpointRules.swift": "the trace itself", "RoomReserve.swift": "its bytes say nothing",
        "SQLiteEngine.swift": "SQLite makes what it finds missing",
    ]

    @Test("Every call that changes a file in Storage is inside a failpoint")
    func everyCall() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources")
        let call =
            /(^|[^.\w])(Glibc\.)?(fsync|fdatasync|(cplatform_)?rename\w*|unlink|unlinkat|mkdir|mkdirat|ftruncate|linkat|link|symlink|creat|p?writev?)\((?!\)|request|message|messages|&|body|bytes|image|reader)/
        var found = 0
        let modules = [
            "Files", "Store", "Uploads", "Keeping", "Service", "Inbox", "Transport", "Requests", "Server", "Tree",
            "Model",
        ]
        for module in modules {
            let folder = root.appending(path: module)
            let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).map {
                folder.appending(path: $0)
            }
            for file in files where file.pathExtension == "swift" && Self.exceptions[file.lastPathComponent] == nil {
                let lines = try String(contentsOf: file, encoding: .utf8).split(
                    separator: "\n", omittingEmptySubsequences: false)
                for (index, line) in lines.enumerated()
                where line.contains(call) && !line.contains("func ") && !line.contains("//") {
                    found += 1
                    let context = lines[max(0, index - 1)...index].joined()
                    #expect(context.contains(".around("), "\(file.lastPathComponent):\(index + 1): \(line)")
                }
            }
        }
        #expect(found >= 7, "the pattern finds what is there")
    }
}
