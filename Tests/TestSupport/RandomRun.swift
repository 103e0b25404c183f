import Foundation

/// The length and the seed of random tests.
package struct RandomRun {
    /// `TINTYPE_OPERATIONS`: the number of rounds.
    package let rounds: Int
    /// `TINTYPE_SEED`: the seed that a failure has printed.
    package let seed: UInt64

    package init(rounds: Int) {
        self.rounds = Self.variable("TINTYPE_OPERATIONS").flatMap { Int($0) } ?? rounds
        seed = Self.variable("TINTYPE_SEED").flatMap { UInt64($0) } ?? .random(in: .min ... .max)
    }

    private static func variable(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
}
