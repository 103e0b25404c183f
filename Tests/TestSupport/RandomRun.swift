import Foundation

/// How long random tests run, and from which seed.
package struct RandomRun {
    /// `TINTYPE_OPERATIONS`: how many rounds.
    package let rounds: Int
    /// `TINTYPE_SEED`: the one that a failure has told.
    package let seed: UInt64

    package init(rounds: Int) {
        self.rounds = Self.variable("TINTYPE_OPERATIONS").flatMap { Int($0) } ?? rounds
        seed = Self.variable("TINTYPE_SEED").flatMap { UInt64($0) } ?? .random(in: .min ... .max)
    }

    private static func variable(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
}
