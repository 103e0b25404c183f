import Accounts
import Foundation
import Glibc

/// The operator's program that sends messages to people: it is given each one as JSON on its standard input.
struct AccountCommand: Sendable {
    /// Why a message was not taken.
    struct Refused: Error, CustomStringConvertible {
        let description: String
    }

    let path: String

    /// - Throws: `ConfigurationError` when there is no such program.
    init(path: String) throws {
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw ConfigurationError("account-command: \(path) is no program that can be run")
        }
        self.path = path
    }

    /// What hands messages to the program.
    var delivery: CodeDelivery { { message in try await deliver(message) } }

    /// Runs the program and waits for its end; ends it when the task is cancelled.
    ///
    /// - Throws: ``Refused`` when it does not succeed.
    @concurrent private func deliver(_ message: AccountMessage) async throws {
        let process = Process()
        let input = Pipe()
        process.executableURL = URL(fileURLWithPath: path)
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        let (ends, end) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { ended in
            end.yield(ended.terminationReason == .exit ? ended.terminationStatus : -1)
            end.finish()
        }
        let json = try JSONEncoder().encode(message)
        try process.run()
        let id = process.processIdentifier
        // A message is shorter than what a pipe takes, so that nobody waits for the program to read it.
        try? input.fileHandleForWriting.write(contentsOf: json)
        try? input.fileHandleForWriting.close()
        let status = await withTaskCancellationHandler {
            await ends.first { _ in true } ?? -1
        } onCancel: {
            kill(id, SIGKILL)
        }
        guard status == 0 else { throw Refused(description: "\(path) ended with status \(status)") }
    }
}
