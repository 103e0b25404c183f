import Accounts
import CPlatform
import Foundation
import Glibc

/// A program of the operator's that is given documents as JSON on its standard input.
package struct OperatorProgram: Sendable {
    private let path: String

    /// - Returns: nil when there is no such program.
    package init?(path: String) {
        guard FileManager.default.isExecutableFile(atPath: path) else { return nil }
        self.path = path
    }

    /// Runs the program and waits for its end; ends it, with all that it has started, when it takes too long.
    ///
    /// - Throws: ``DeliveryFailure`` when it does not succeed.
    package func run(_ json: [UInt8], within time: Duration) async throws {
        do {
            try await TimeLimit.run(time) { try await run(json) }
        } catch is TimeLimit.Exceeded {
            throw DeliveryFailure("\(path) took longer than \(time.components.seconds) seconds, and was ended")
        }
    }

    /// The same, until the task is cancelled.
    @concurrent func run(_ json: [UInt8]) async throws {
        let process = cplatform_spawn(path, json, UInt(json.count))
        guard process > 0 else {
            throw DeliveryFailure("\(path) cannot be run: \(String(cString: strerror(-process)))")
        }
        // Nobody else waits for the process, so that until then its id cannot become another's.
        while true {
            if let status = Self.reap(process) {
                guard status == 0 else { throw DeliveryFailure("\(path) ended with status \(status)") }
                return
            }
            do {
                try await Task.sleep(for: .milliseconds(20))
            } catch {
                kill(-process, SIGKILL)
                Task { while Self.reap(process) == nil { try? await Task.sleep(for: .milliseconds(20)) } }
                throw DeliveryFailure("\(path) took too long, and was ended")
            }
        }
    }

    /// The status with which a process ended, 128 and more for a signal; nil while it runs.
    private static func reap(_ process: pid_t) -> Int32? {
        var raw: Int32 = 0
        let result = waitpid(process, &raw, WNOHANG)
        if result == 0 || result < 0 && errno == EINTR { return nil }
        guard result == process else { return -1 }
        return raw & 0x7F == 0 ? (raw >> 8) & 0xFF : 128 + (raw & 0x7F)
    }
}
