import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Files

@Suite("A file of lines, written by a thread of its own", .timeLimit(.minutes(10)))
struct LineFileTests {
    /// The reports of a file.
    private final class Reports: Sendable {
        let dropped = Atomic(0)
        let faults = Mutex<[FileError.Code?]>([])

        func file(_ place: LineFile.Place) throws -> LineFile {
            try LineFile(
                place, onDrop: { self.dropped.add($0, ordering: .relaxed) },
                onFault: { fault in self.faults.withLock { $0.append(fault?.code) } })
        }
    }

    private let reports = Reports()

    @Test("Lines are added to what the file has, in their order, and all are there at the end")
    func order() async throws {
        try await withScratch { scratch in
            try scratch.write("first\n", to: "log")
            let file = try reports.file(.file(path: "\(scratch.path)/log"))
            for number in 0..<1000 { file.add("\(number)") }
            await file.close()
            #expect(try scratch.read("log") == "first\n" + (0..<1000).map { "\($0)\n" }.joined())
            file.add("late")
            #expect(reports.dropped.load(ordering: .relaxed) == 1)
        }
    }

    @Test("After a rotation, lines go to a new file at the path, and none is lost")
    func rotation() async throws {
        try await withScratch { scratch in
            let path = "\(scratch.path)/log"
            let file = try reports.file(.file(path: path))
            file.add("old")
            try await eventually { try scratch.read("log") == "old\n" }
            try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
            file.reopen()
            try await eventually { FileManager.default.fileExists(atPath: path) }
            file.add("new")
            await file.close()
            #expect(try scratch.read("log.1") == "old\n" && scratch.read("log") == "new\n")
        }
    }

    @Test("A file that cannot be opened again is reported, and the old one stays in use")
    func lostFolder() async throws {
        try await withScratch { scratch in
            try scratch.write("", to: "logs/log")
            let file = try reports.file(.file(path: "\(scratch.path)/logs/log"))
            try FileManager.default.moveItem(atPath: "\(scratch.path)/logs", toPath: "\(scratch.path)/moved")
            file.reopen()
            file.add("kept")
            await file.close()
            #expect(try scratch.read("moved/log") == "kept\n")
            #expect(reports.faults.withLock { $0 } == [.notFound, nil])
            #expect(reports.dropped.load(ordering: .relaxed) == 0)
        }
    }

    @Test("On a full disk, lines are dropped and counted, and the fault is reported once")
    func fullDisk() async throws {
        let file = try reports.file(.file(path: "/dev/full"))
        for number in 0..<10 { file.add("\(number)") }
        await file.close()
        #expect(reports.dropped.load(ordering: .relaxed) == 10)
        #expect(reports.faults.withLock { $0 } == [.diskFull])
    }

    @Test("Lines that arrive while too many wait are dropped: memory has a limit")
    func limit() async throws {
        let file = try reports.file(.file(path: "/dev/null"))
        file.add(String(repeating: "x", count: LineFile.maxWaitingBytes))
        #expect(reports.dropped.load(ordering: .relaxed) == 1)
        await file.close()
    }

    @Test("The end waits for the thread, and gives up after a time")
    func patience() async throws {
        let (gate, hasPassed) = (DispatchSemaphore(value: 0), Flag())
        let file = try LineFile(
            .file(path: "/dev/full"), onDrop: { _ in },
            onFault: { _ in
                gate.wait()
                hasPassed.value.store(true, ordering: .relaxed)
            })
        file.add("line")
        await file.close(within: .milliseconds(1))
        #expect(hasPassed.value.load(ordering: .relaxed) == false)
        async let first: Void = file.close(within: .seconds(500))
        async let second: Void = file.close(within: .seconds(500))
        gate.signal()
        _ = await (first, second)
        #expect(hasPassed.value.load(ordering: .relaxed) == true)
    }

    private final class Flag: Sendable {
        let value = Atomic(false)
    }

    @Test("A path that cannot be written is an error at the start")
    func unusable() throws {
        #expect(throws: FileError.self) { try reports.file(.file(path: "/")) }
        #expect(throws: FileError.self) { try reports.file(.file(path: "/none/log")) }
    }
}
