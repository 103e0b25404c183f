import Foundation
import Imaging
import TestSupport
import Testing

@testable import Isolation

@Suite("Workers are kept, replaced, and never left behind", .timeLimit(.minutes(20)))
struct WorkerTests {
    @Test("A worker is used again, and replaced after a number of photos")
    func recycling() async throws {
        let renderer = try IsolatedRenderer(Rogue.program, limits: WorkerLimits(imagesPerWorker: 3))
        var names: [String] = []
        for _ in 0..<9 { names.append(try await renderer.workerName()) }
        #expect(names[0] == names[1] && names[1] == names[2])
        #expect(names[3] == names[4] && names[4] == names[5])
        #expect(Set(names).count == 3)
    }

    @Test("A worker that dies while it is idle is replaced, and no photo fails")
    func deathAtRest() async throws {
        let renderer = try IsolatedRenderer(Rogue.program)
        let name = try await renderer.workerName()
        kill(try #require(pid_t(name)), SIGKILL)
        #expect(try await renderer.workerName() != name)
    }

    @Test(
        "Ctrl-C in a terminal and SIGTERM from a service manager do not end a worker", arguments: [SIGINT, SIGTERM])
    func signals(_ signal: Int32) async throws {
        let renderer = try IsolatedRenderer(Rogue.program)
        let name = try await renderer.workerName()
        kill(try #require(pid_t(name)), signal)
        #expect(try await renderer.workerName() == name)
    }

    @Test("A program that cannot be started is reported at once, with the reason")
    func noProgram() {
        let nowhere = WorkerProgram(path: "/nowhere/worker", arguments: [])
        let error = #expect(throws: IsolationError.self) { try IsolatedRenderer(nowhere) }
        #expect(error?.code == .workerUnavailable && error?.isTransient == true)
        #expect(error?.message.contains("/nowhere/worker: No such file") == true)
        let other = WorkerProgram(path: "/bin/false", arguments: [])
        let silent = #expect(throws: IsolationError.self) { try IsolatedRenderer(other) }
        #expect(silent?.message.contains("code 1") == true)
    }

    @Test(
        "A missing feature of the system, or a failed handshake, is reported at once",
        arguments: [
            ("lacking", IsolationError.Code.isolationUnavailable, "here: a filter"),
            ("babbling", .workerUnavailable, "handshake"), ("silent", .workerUnavailable, "code 0"),
        ])
    func handshakes(word: String, code: IsolationError.Code, says: String) {
        let program = WorkerProgram(path: Rogue.program.path, arguments: [word])
        let error = #expect(throws: IsolationError.self) { try IsolatedRenderer(program) }
        #expect(error?.code == code)
        #expect(error?.message.contains(says) == true, "\(error?.message ?? "")")
    }

    @Test("An unreadable photo is a transient error, and not the photo's fault")
    func unreadable() throws {
        let renderer = try IsolatedRenderer(Rogue.program)
        let folder = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(folder) }
        let error = #expect(throws: IsolationError.self) {
            try renderer.render(folder, byteCount: 100, recipes: Recipe.defaults)
        }
        #expect(error?.code == .unreadable && error?.isTransient == true && error?.isPoison == false)
    }

    @Test("No descriptor and no process is left behind, whatever happened")
    func nothingIsLeft() async {
        await #expect(processExitsWith: .success) {
            /// Returns the open descriptors, except for the clocks and queues of the concurrency runtime.
            func descriptors() throws -> [String] {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { name in
                    try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + name)
                }.filter { !$0.hasPrefix("anon_inode:") }
            }
            let good = try Fixture.bytes("size-24x16.jpg")
            let before = try descriptors()
            let limits = WorkerLimits(memoryBytes: 256 << 20, cpuSeconds: 1, imagesPerWorker: 2)
            var renderer: IsolatedRenderer? = try IsolatedRenderer(Rogue.program, limits: limits)
            for behaviour in [
                "segmentationFault", "noise", "longNoise", "hangUp", "open", "allocate", "descriptors", "name",
            ] {
                await #expect(throws: (any Error).self) { try await renderer?.render(Rogue.photo(behaviour)) }
                _ = try await renderer?.render(good)
            }
            renderer = nil
            // The thread of the last photo closes its descriptors a little later.
            try await eventually { try descriptors().count <= before.count }
            try await eventually { waitpid(-1, nil, WNOHANG) == -1 && errno == ECHILD }
        }
    }

    @Test("A killed service's workers end, even if they are busy", arguments: ["loop", "wait orphan"])
    func orphans(_ behaviour: String) async throws {
        let result = await #expect(processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]) {
            [behaviour] in
            let renderer = try IsolatedRenderer(Rogue.program)
            let worker = try await renderer.workerName()
            print("worker \(worker).")
            fflush(nil)
            async let _ = renderer.render(Rogue.photo(behaviour))
            // A worker is known to be busy by its name, or by the ticks of the processor that it has used.
            try await eventually {
                let stat = try String(contentsOfFile: "/proc/\(worker)/stat", encoding: .utf8)
                let ticks = Int(stat.split(separator: ")")[1].split(separator: " ")[11]) ?? 0
                return stat.contains("(orphan)") || ticks > 20
            }
            kill(getpid(), SIGKILL)
        }
        let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        let name = try #require(output.firstMatch(of: /worker ([0-9]+)\./)?.output.1)
        let process = try #require(pid_t(name))
        try await eventually { kill(process, 0) != 0 && errno == ESRCH }
    }
}
