import API
import ArgumentParser

extension RethumbCommand {
    struct Switch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "switch", abstract: "Show the renditions of a run that was started with --switch-last.",
            usage: "tintype rethumb switch [<run>] [--json]",
            discussion: """
                Posts are switched one by one, each in one step; Ctrl-C pauses the run.

                EXAMPLES
                  tintype rethumb switch
                """)

        @OptionGroup var options: RunOptions<RunSettings>

        func run() async throws { try await options.change(.switch, in: [.prepared], follows: true, kind: .rethumb) }
    }

    struct Rollback: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rollback", abstract: "Show the renditions from before a run again.",
            usage: "tintype rethumb rollback [<run>] [--json]",
            discussion: """
                The old files must still exist: they are kept for the grace period (the setting grace-period). \
                Renditions of the run that were never shown are deleted.

                EXAMPLES
                  tintype rethumb rollback
                """)

        @OptionGroup var options: RunOptions<StorageOptions>

        func run() async throws {
            try await options.change(
                .rollback, in: [.prepared, .finished, .cancelled, .failed], follows: true, kind: .rethumb)
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rm",
            abstract: "Remove the record of a run that has ended; the run can then no longer be rolled back.",
            usage: "tintype rethumb rm <run> [--json]",
            discussion: """
                EXAMPLES
                  tintype rethumb rm $(tintype rethumb ls --json | jq -r .id | head -1)
                """)

        @OptionGroup var options: RunOptions<StorageOptions>

        func run() async throws {
            try await options.source.withJobs { jobs in
                let job = try await options.job(of: jobs, in: [], kind: .rethumb)
                try await jobs.remove(job.id)
                if options.json { Terminal.outputJSON(job) } else { Terminal.output("forgot \(job.id)") }
            }
        }
    }
}
