import Foundation
import Imaging
import TestSupport
import Testing

@testable import Isolation

@Suite("A photo that breaks its decoder fails for good, and affects no other photo", .timeLimit(.minutes(20)))
struct WorkerFailureTests {
    /// A behaviour of the worker, the code of the permanent failure, and a part of its message.
    struct Row: Sendable, CustomTestStringConvertible {
        let behaviour: String
        let code: IsolationError.Code
        let says: String

        var testDescription: String { behaviour }

        init(_ behaviour: String, _ code: IsolationError.Code = .decoderCrashed, says: String) {
            self.behaviour = behaviour
            self.code = code
            self.says = says
        }
    }

    static let rows: [Row] =
        [
            Row("segmentationFault", says: "SIGSEGV"), Row("abort", says: "SIGABRT"), Row("trap", says: "SIG"),
            Row("exit", says: "code 3"), Row("loop", .decoderTimedOut, says: "1 seconds of processor time"),
            Row("loopDeaf", .decoderTimedOut, says: "1 seconds of processor time"),
            Row("allocate", .tooMuchMemory, says: "256 MiB"),
            Row("noise", says: "answer"), Row("longNoise", says: "answer"),
            Row("emptyMessage", says: "closed its socket"), Row("hangUp", says: "closed its socket"),
        ]
        + [
            "open", "stat", "socket", "connect", "fork", "exec", "executableMemory", "ptrace", "signal", "writeFile",
            "raiseLimit", "time", "kill", "sendKill", "signalReturn", "userNamespace",
        ].map { Row($0, says: "forbidden system call") }

    @Test(arguments: rows)
    func permanentFailure(_ row: Row) async throws {
        let limits = WorkerLimits(memoryBytes: 256 << 20, cpuSeconds: 1)
        let renderer = try IsolatedRenderer(Rogue.program, limits: limits)
        let error = await #expect(throws: IsolationError.self) { try await renderer.render(Rogue.photo(row.behaviour)) }
        #expect(error?.code == row.code)
        #expect(error?.message.contains(row.says) == true, "\(error?.message ?? "")")
        #expect(error?.isPoison == true && error?.isTransient == false && error?.hint.isEmpty == false)
        let good = try Fixture.bytes("size-24x16.jpg")
        #expect(try await renderer.render(good) == Renderer().render(good.span, recipes: Recipe.defaults))
    }

    @Test("A worker that sleeps ends after its timeout on the clock")
    func sleeper() async throws {
        let renderer = try IsolatedRenderer(Rogue.program, limits: WorkerLimits(timeout: .seconds(1)))
        let error = await #expect(throws: IsolationError.self) { try await renderer.render(Rogue.photo("sleep")) }
        #expect(error?.code == .decoderTimedOut)
        #expect(error?.message.contains("1 seconds on the clock") == true)
    }

    @Test("A photo whose workers are killed by others is not poison: it is tried twice at once, and again later")
    func killedFromOutside() async throws {
        let renderer = try IsolatedRenderer(Rogue.program)
        let name = "w\(UInt32.random(in: .min ... .max))"
        let rendering = Task {
            await #expect(throws: IsolationError.self) { try await renderer.render(Rogue.photo("wait \(name)")) }
        }
        // A third worker would wait for ever.
        for _ in 0..<2 {
            var process: pid_t?
            try await eventually {
                process = Rogue.processes(named: name).first
                return process != nil
            }
            let victim = try #require(process)
            #expect(kill(victim, SIGKILL) == 0)
            try await eventually { !Rogue.processes(named: name).contains(victim) }
        }
        let error = await rendering.value
        #expect(error?.code == .workerKilled && error?.isPoison == false && error?.isTransient == true)
        #expect(error?.message.contains("SIGKILL") == true, "\(error?.message ?? "")")
    }

    @Test("A worker that is stopped from outside is replaced, and its photo is rendered")
    func stoppedFromOutside() async throws {
        let renderer = try IsolatedRenderer(Rogue.program, limits: WorkerLimits(timeout: .seconds(5)))
        let name = try await renderer.workerName()
        kill(try #require(pid_t(name)), SIGSTOP)
        let good = try Fixture.bytes("size-24x16.jpg")
        #expect(try await renderer.render(good) == Renderer().render(good.span, recipes: Recipe.defaults))
        #expect(try await renderer.workerName() != name)
    }

    @Test("A photo that ended a worker is tried again on a fresh one, as the first worker may have been at fault")
    func secondTry() async throws {
        let renderer = try IsolatedRenderer(Rogue.program)
        _ = try await renderer.workerName()
        for _ in 0..<3 {
            let error = await #expect(throws: ImageError.self) { try await renderer.render(Rogue.photo("tire")) }
            #expect(error?.message == "fresh")
        }
    }

    @Test("Codecs may start threads")
    func threads() async throws {
        let renderer = try IsolatedRenderer(Rogue.program)
        let error = await #expect(throws: ImageError.self) { try await renderer.render(Rogue.photo("thread")) }
        #expect(error?.message == "a thread")
    }

    @Test("A worker that answers twice is not used again; descriptors in an answer are discarded")
    func talkative() async throws {
        for behaviour in ["answerTwice", "descriptors"] {
            let renderer = try IsolatedRenderer(Rogue.program)
            let first = try await renderer.workerName()
            // The name was the first request, and its answer is sent again.
            await #expect(throws: (any Error).self) { try await renderer.render(Rogue.photo(behaviour)) }
            let good = try Fixture.bytes("size-24x16.png")
            #expect(try await renderer.render(good) == Renderer().render(good.span, recipes: Recipe.defaults))
            #expect(try await renderer.workerName() != first)
        }
    }

    @Test("Other photos are not affected")
    func neighbours() async throws {
        let renderer = try IsolatedRenderer(Rogue.program, limits: WorkerLimits(cpuSeconds: 1))
        let good = try Fixture.bytes("size-97x61.jpg")
        let expected = try Renderer().render(good.span, recipes: Recipe.defaults)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for behaviour in ["loop", "segmentationFault", "noise", "fork", "allocate", "hangUp", "exit"] {
                group.addTask {
                    await #expect(throws: IsolationError.self) { try await renderer.render(Rogue.photo(behaviour)) }
                }
                group.addTask {
                    for _ in 0..<5 {
                        let rendered = try await renderer.render(good)
                        #expect(rendered == expected)
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
