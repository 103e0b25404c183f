import Database
import Foundation
import Server
import Service
import Testing

@Suite("The database: random requests, compared with a model", .timeLimit(.minutes(60)))
struct ProtocolPropertyTests {
    /// The number of requests, from `TINTYPE_OPERATIONS`.
    private static var operations: Int { variable("TINTYPE_OPERATIONS").flatMap { Int($0) } ?? 2000 }
    /// The seed, from `TINTYPE_SEED`: a failure prints it.
    private static var seed: UInt64 { variable("TINTYPE_SEED").flatMap { UInt64($0) } ?? .random(in: .min ... .max) }

    private static func variable(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

    @Test("Every status, body, ETag and event equals the model's")
    func agreesWithModel() async throws {
        let seed = Self.seed
        try await withService(changeServer: { $0.database.keepAliveMilliseconds = 1000 }) { service in
            let run = try await ProtocolRun(socket: service.socketPath, seed: seed)
            do {
                try await run.run(operations: Self.operations)
            } catch {
                Issue.record("TINTYPE_SEED=\(seed), request \(run.step): \(error)")
            }
        }
    }
}
