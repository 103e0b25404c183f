import API
import ArgumentParser

extension RethumbCommand {
    struct Switch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "switch", abstract: "Have posts show what a run with --switch-last has rendered.",
            usage: "tintype rethumb switch [<run>] [--json]",
            discussion: """
                Post by post, each in one step; Ctrl-C pauses it.

                EXAMPLES
                  tintype rethumb switch
                """)

        @OptionGroup var options: RunOptions

        func run() async throws { try await options.change(.switch, in: [.prepared], follows: true, kind: .rethumb) }
    }

    struct Rollback: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rollback", abstract: "Have posts show again what they showed before a run.",
            usage: "tintype rethumb rollback [<run>] [--json]",
            discussion: """
                The former files have to be there still: they stay for the setting grace-period. What the run has made and \
                nobody has seen is deleted.

                EXAMPLES
                  tintype rethumb rollback
                """)

        @OptionGroup var options: RunOptions

        func run() async throws {
            try await options.change(
                .rollback, in: [.prepared, .finished, .cancelled, .failed], follows: true, kind: .rethumb)
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rm", abstract: "Forget a run that has ended; it cannot be rolled back then.",
            usage: "tintype rethumb rm <run> [--json]",
            discussion: """
                EXAMPLES
                  tintype rethumb rm $(tintype rethumb list --json | jq -r .id | head -1)
                """)

        @OptionGroup var options: RunOptions

        func run() async throws {
            try await options.settings.storage.withJobs(options.settings) { jobs in
                let job = try await options.job(of: jobs, in: [], kind: .rethumb)
                try await jobs.remove(job.id)
                if options.json { Terminal.outputJSON(job) } else { Terminal.output("forgot \(job.id)") }
            }
        }
    }
}
