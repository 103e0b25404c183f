import ArgumentParser

/// Checks, repairs and upgrades the store, and deletes files that are no longer needed.
struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Check, repair or upgrade the store; delete files without a record.",
        discussion: """
            These commands work whether the service runs or not, except where their help says otherwise.

            EXAMPLES
              tintype store check
              tintype store verify --older-than 30d
              tintype store repair --dry-run
              tintype store gc
            """,
        subcommands: [
            StoreCheckCommand.self, StoreVerifyCommand.self, StoreRepairCommand.self, StoreGarbageCommand.self,
            StoreUpgradeCommand.self, StoreUnclaimedCommand.self,
        ])
}
