import Foundation
import Imaging
import TestSupport
import Testing

@testable import Isolation

@Suite("A compromised worker gets few resources, and not for long", .timeLimit(.minutes(20)))
struct SandboxTests {
    @Test("A worker that computes on after its answer and ignores signals ends after seconds of processor time")
    func idleComputing() async throws {
        let renderer = try IsolatedRenderer(Rogue.program)
        let error = await #expect(throws: ImageError.self) { try await renderer.render(Rogue.photo("spin")) }
        let process = try #require(pid_t(error?.message ?? ""))
        try await eventually { try Rogue.stat(process)[0] == "Z" }
        // utime and stime, in ticks of 1/100 s.
        let ticks = try Rogue.stat(process)[11...12].compactMap { Int($0) }.reduce(0, +)
        #expect((50...300).contains(ticks))
        #expect(try await renderer.workerName() != "\(process)")
    }

    @Test(
        "A worker may have enough threads for codecs, and far fewer than would harm the machine",
        .enabled(if: Rogue.hasNamespaces))
    func threads() async throws {
        let renderer = try IsolatedRenderer(Rogue.program)
        let error = await #expect(throws: ImageError.self) { try await renderer.render(Rogue.photo("threads")) }
        let count = try #require(Int(error?.message.split(separator: " ").first ?? ""))
        #expect((100...256).contains(count))
    }

    @Test("A worker can keep few descriptors, all for one piece of memory")
    func descriptors() async throws {
        let renderer = try IsolatedRenderer(Rogue.program)
        await #expect(throws: ImageError.self) { try await renderer.render(Rogue.photo("hoard")) }
        var answers: [String] = []
        for _ in 0..<5 { answers.append(try await renderer.workerName()) }
        #expect(answers == ["held 4", "held 4", "held 4", "held 4", "held 4"], "0 to 3, and four more")
        let memories = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter {
            let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
            return path?.contains("memfd:renditions") == true
        }
        #expect(!memories.isEmpty)
    }

    @Test("The kernel ends a worker before the service when memory runs out")
    func memoryKiller() async throws {
        let name = try await IsolatedRenderer.withWorker { try text("/proc/\($0)/oom_score_adj") }
        #expect(name == "1000\n")
        #expect(try text("/proc/self/oom_score_adj") != name)
    }

    @Test(
        "A worker has no capability and no privileged user, and few processes and files",
        .enabled(if: Rogue.hasNamespaces))
    func privileges() async throws {
        try await IsolatedRenderer.withWorker { process in
            let status = try text("/proc/\(process)/status")
            for set in ["Inh", "Prm", "Eff", "Amb"] {
                #expect(status.contains("Cap\(set):\t0000000000000000\n"), "\(status)")
            }
            #expect(!status.contains("Uid:\t0\t"))
            let limits = try text("/proc/\(process)/limits")
            #expect(limits.contains(/Max processes +256 +256/), "\(limits)")
            #expect(limits.contains(/Max open files +8 +8/))
        }
    }

    @Test(
        "A worker has namespaces of its own, and an empty root, as root sees it",
        .enabled(if: Rogue.hasNamespaces && geteuid() == 0))
    func namespaces() async throws {
        try await IsolatedRenderer.withWorker { process in
            for space in ["user", "net", "mnt", "ipc", "uts"] {
                let spaces = try ["self", "\(process)"].map {
                    try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\($0)/ns/\(space)")
                }
                #expect(spaces[0] != spaces[1], "\(space)")
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/root/").isEmpty)
        }
    }

    @Test("A file system can be unmounted while a worker lives", .enabled(if: Rogue.hasNamespaces))
    func unmounting() throws {
        let folder = NSTemporaryDirectory() + "tt-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // In a user namespace, every user may mount.
        let output = Pipe()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
        process.arguments = ["--user", "--map-root-user", "--mount", Rogue.program.path, "unmount", folder]
        process.standardOutput = output
        try process.run()
        let said = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(String(decoding: said, as: UTF8.self) == "free\n")
    }
}

extension IsolatedRenderer {
    /// Starts a worker, and runs a body with its process while it waits.
    fileprivate static func withWorker<R>(_ body: (pid_t) throws -> R) async throws -> R {
        let renderer = try IsolatedRenderer(Rogue.program)
        let process = try #require(pid_t(try await renderer.workerName()))
        return try withExtendedLifetime(renderer) { try body(process) }
    }
}

private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }
