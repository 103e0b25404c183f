import Accounts
import CPlatform
import Foundation
import Glibc

/// A program of the operator's that receives documents as JSON on its standard input.
package struct OperatorProgram: Sendable {
    private let path: String

    /// - Returns: nil if the program does not exist.
    package init?(path: String) {
        guard FileManager.default.isExecutableFile(atPath: path) else { return nil }
        self.path = path
    }

    /// Runs the program and waits for its end. A program that exceeds the time limit is ended, with all processes that
    /// it has started.
    ///
    /// - Throws: ``DeliveryFailure`` if it does not succeed.
    package func run(_ json: [UInt8], within time: Duration) async throws {
        _ = try await limit(time) { try await run(json) }
    }

    /// Runs the program, and returns its output if it succeeds.
    ///
    /// - Parameter maxBytes: The largest size of the output; a program that prints more is ended.
    /// - Throws: ``DeliveryFailure`` if it does not succeed.
    package func answer(to json: [UInt8], maxBytes: Int, within time: Duration) async throws -> [UInt8] {
        try await limit(time) { try await run(json, maxBytes: maxBytes) }
    }

    private func limit<R: Sendable>(
        _ time: Duration, _ body: @escaping @Sendable () async throws -> R
    ) async throws -> R {
        do {
            return try await TimeLimit.run(time, body)
        } catch is TimeLimit.Exceeded {
            throw DeliveryFailure("\(path) took longer than \(time.components.seconds) seconds, and was ended")
        }
    }

    /// Runs the program until the task is cancelled.
    ///
    /// - Parameter maxBytes: The largest size of the output; nil to ignore the output.
    @discardableResult
    @concurrent func run(_ json: [UInt8], maxBytes: Int? = nil) async throws -> [UInt8] {
        var output: Int32 = -1
        let process =
            maxBytes == nil
            ? cplatform_spawn(path, json, UInt(json.count), nil)
            : cplatform_spawn(path, json, UInt(json.count), &output)
        guard process > 0 else {
            throw DeliveryFailure("\(path) cannot be run: \(String(cString: strerror(-process)))")
        }
        defer { if output >= 0 { close(output) } }
        var printed: [UInt8] = []
        // Only this function waits for the process, so that its id cannot be reused until then.
        while true {
            // After the end of the process, its output is complete.
            let status = Self.reap(process)
            if let maxBytes, !Self.read(output, into: &printed, maxBytes: maxBytes) {
                if status == nil { Self.end(process) }
                throw DeliveryFailure("\(path) prints more than \(maxBytes) bytes")
            }
            if let status {
                guard status == 0 else { throw DeliveryFailure("\(path) ended with status \(status)") }
                return printed
            }
            do {
                try await Task.sleep(for: .milliseconds(20))
            } catch {
                Self.end(process)
                throw DeliveryFailure("\(path) took too long, and was ended")
            }
        }
    }

    /// Ends a process with all processes that it has started, and reads its status if it has one.
    private static func end(_ process: pid_t) {
        kill(-process, SIGKILL)
        Task { while reap(process) == nil { try? await Task.sleep(for: .milliseconds(20)) } }
    }

    /// Reads the available output.
    ///
    /// - Returns: False if the output is too long.
    private static func read(_ output: Int32, into printed: inout [UInt8], maxBytes: Int) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = Glibc.read(output, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            // The output has ended, or the rest is not available yet.
            guard count > 0 else { return true }
            printed += buffer[..<count]
            guard printed.count <= maxBytes else { return false }
        }
    }

    /// Returns the exit status of a process, 128 and more for a signal; nil while it runs.
    private static func reap(_ process: pid_t) -> Int32? {
        var raw: Int32 = 0
        let result = waitpid(process, &raw, WNOHANG)
        if result == 0 || result < 0 && errno == EINTR { return nil }
        guard result == process else { return -1 }
        return raw & 0x7F == 0 ? (raw >> 8) & 0xFF : 128 + (raw & 0x7F)
    }
}
