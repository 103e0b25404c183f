import API
import Files
import Testing

@testable import Backup

@Suite("The access to the folder of a backup")
struct TargetAccessTests {
    private struct Case: Sendable, CustomTestStringConvertible {
        let errno: Int32
        var folder = "/mnt/backups"
        var isUnit = false
        let code: ErrorCode
        let hint: String

        var testDescription: String { "\(folder), errno \(errno), \(isUnit ? "in" : "without") a unit" }
    }

    @Test(
        "An error names the folder and the user, and the line of the unit where one may lack it",
        arguments: [
            Case(errno: 13, code: .permission, hint: "that ann may write to"),
            Case(errno: 1, isUnit: true, code: .permission, hint: "ReadWritePaths=/mnt/backups"),
            Case(errno: 13, folder: "/home/ann/backups", isUnit: true, code: .permission, hint: "ProtectHome"),
            Case(errno: 13, folder: "/homes", isUnit: true, code: .permission, hint: "ReadWritePaths=/homes"),
            Case(errno: 30, code: .readOnly, hint: "ReadWritePaths=/mnt/backups"),
            Case(errno: 30, isUnit: true, code: .readOnly, hint: "ReadWritePaths=/mnt/backups"),
        ])
    private func named(_ example: Case) throws {
        let access = TargetAccess(folder: example.folder, user: "ann", isUnit: example.isUnit)
        let error = FileError(errno: example.errno, doing: "create \(example.folder)")
        let failure = try #require(
            #expect(throws: Failure.self) { _ = try access.explaining { () throws -> Int in throw error } })
        #expect(failure.code == example.code && !failure.isTransient)
        #expect(failure.message.hasPrefix("ann cannot write to \(example.folder) (create "), "\(failure)")
        #expect(failure.hint.contains(example.hint), "\(failure)")
    }

    @Test("A missing parent has a hint, and other errors stay as they are")
    func others() {
        let access = TargetAccess(folder: "/mnt/backups", user: "ann", isUnit: true)
        for (number, isExplained) in [(2, true), (28, false), (5, false)] as [(Int32, Bool)] {
            do {
                _ = try access.explaining { () throws -> Int in throw FileError(errno: number, doing: "create x") }
                Issue.record("it must throw")
            } catch {
                #expect((error is Failure) == isExplained, "\(error)")
            }
        }
    }

    @Test("Somebody who may not read backups is referred to their owner, and never to the service's user")
    func reading() throws {
        let error = FileError(errno: 13, doing: "open /tmp")
        for (user, words) in [("ann", "with sudo -u 'root'"), ("root", "as their owner, or as root")] {
            let access = TargetAccess(folder: "/", user: user, isUnit: false)
            let failure = try #require(
                #expect(throws: Failure.self) { try access.explainingReads { () throws -> Int in throw error } })
            #expect(failure.code == .permission && !failure.isTransient)
            #expect(failure.message == "\(user) cannot read / (open /tmp: Permission denied)", "\(failure)")
            #expect(failure.hint.contains(words) && !failure.hint.contains("service"), "\(failure)")
        }
    }

    @Test("A child of a unit's process is not the unit")
    func unit() {
        #expect(!TargetAccess.isUnit([:], 7))
        #expect(TargetAccess.isUnit(["INVOCATION_ID": "a"], 7))
        #expect(TargetAccess.isUnit(["INVOCATION_ID": "a", "SYSTEMD_EXEC_PID": "7"], 7))
        #expect(!TargetAccess.isUnit(["INVOCATION_ID": "a", "SYSTEMD_EXEC_PID": "6"], 7))
    }
}
