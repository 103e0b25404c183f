import Foundation
import Imaging
import TestSupport

@testable import Isolation

extension IsolatedRenderer {
    /// Renders bytes from a file that has no name any more, on a thread of its own, as it may take long.
    func render(_ bytes: [UInt8], recipes: [Recipe] = Recipe.defaults) async throws -> RenderedImage {
        let path = NSTemporaryDirectory() + "tt-" + UUID().uuidString
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        try FileManager.default.removeItem(atPath: path)
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        try self.render(file.fileDescriptor, byteCount: bytes.count, recipes: recipes)
                    })
            }
        }
    }

    /// Returns the id of the process that renders the next photo, as the process reports it.
    func workerName() async throws -> String {
        do {
            _ = try await render(Rogue.photo("name"))
            return "nobody"
        } catch let error as ImageError {
            return error.message
        }
    }
}

extension Rogue {
    /// Returns the processes whose first thread has given itself the name.
    static func processes(named name: String) -> [pid_t] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.compactMap(pid_t.init).filter { process in
            (try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)) == name + "\n"
                && (try? stat(process)[0]) != "Z"
        }
    }

    /// Returns the kernel's fields of a process after its name: state, parent, and so on (proc_pid_stat(5)).
    static func stat(_ process: pid_t) throws -> [String] {
        let line = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        return line[(line.lastIndex(of: ")") ?? line.startIndex)...].split(separator: " ").dropFirst().map(String.init)
    }

    /// Whether this system lets programs have namespaces of their own.
    static let hasNamespaces: Bool = {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
        process.arguments = ["--user", "--net", "--mount", "--ipc", "--uts", "true"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()
}
