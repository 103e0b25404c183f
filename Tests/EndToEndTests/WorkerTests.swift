import Foundation
import TestSupport
import Testing

@Suite("The service decodes photos in isolated processes", .timeLimit(.minutes(20)))
struct WorkerTests {
    @Test("Its workers are isolated, and end with it, however it ends", arguments: [SIGTERM, SIGKILL])
    func workersEnd(_ signal: Int32) async throws {
        try await withScratch { scratch in
            let daemon = try await Daemon(storage: scratch.path + "/S")
            _ = try await daemon.upload(try Fixture.bytes("photo.jpg"), by: "maria")
            let workers = try ProcessTable.children(of: daemon.processID)
            #expect(!workers.isEmpty)
            for worker in workers {
                let status = try text("/proc/\(worker)/status")
                for line in ["Name:\trender-worker\n", "Seccomp:\t2\n", "NoNewPrivs:\t1\n"] {
                    #expect(status.contains(line), "\(status)")
                }
            }
            if signal == SIGKILL { try await daemon.killHard() } else { #expect(try await daemon.stop() == 0) }
            for worker in workers { try await eventually { kill(worker, 0) != 0 && errno == ESRCH } }
        }
    }

    @Test("Rendering in the process needs no worker, and creates the same files")
    func inProcess() async throws {
        try await withScratch { scratch in
            var files: [String: [Data]] = [:]
            for place in ["isolated", "in-process"] {
                let storage = "\(scratch.path)/\(place)"
                let daemon = try await Daemon(storage: storage, arguments: ["--render", place])
                let id = try await daemon.upload(try Fixture.bytes("photo.jpg"), by: "maria")
                #expect(try ProcessTable.children(of: daemon.processID).isEmpty == (place == "in-process"))
                let folder = "\(storage)/blobs/maria/\(id)"
                files[place] = try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map {
                    try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\($0)"))
                }
                try await daemon.stop()
            }
            #expect(files["isolated"]?.count == 6)
            #expect(files["isolated"] == files["in-process"])
        }
    }

    @Test func theWorkersCommandIsNobodysBusiness() async throws {
        #expect(try await run(["--help"]).output.contains("render-worker") == false)
        #expect(try await run(["serve", "--render", "elsewhere"]).errors.contains("isolated or in-process"))
    }
}

/// The kernel's list of processes.
private enum ProcessTable {
    /// Returns the running processes that a process has started.
    static func children(of parent: pid_t) throws -> [pid_t] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap(pid_t.init).filter { process in
            (try? text("/proc/\(process)/status"))?.contains("PPid:\t\(parent)\n") == true
        }
    }
}
