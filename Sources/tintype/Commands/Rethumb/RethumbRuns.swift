import API
import ArgumentParser
import Foundation
import Uploads

/// Which run is meant.
struct RunOptions: ParsableArguments {
    @OptionGroup var settings: SettingOptions

    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp("The run's id; without one, the newest that this can be done to.", valueName: "run"))
    var ids: [String] = []

    @Flag(help: "Print JSON documents.")
    var json = false

    func validate() throws {
        if names.count > 1 { throw ValidationError("one run, or none, has to be given") }
    }

    private var names: [String] { ids.filter { $0 != "--" } }

    /// The run that is meant: the one that was named, or the newest in one of some states.
    func job(
        of jobs: JobsClient, in states: Set<BatchJobState>, kind: BatchJobKind = .rethumb
    ) async throws -> BatchJobDocument {
        if let id = names.first { return try await jobs.job(id) }
        let all = try await jobs.list().filter { $0.kind == kind }
        guard let job = all.first(where: { states.contains($0.state) }) else {
            let names = states.map(\.rawValue).sorted().joined(separator: " or ")
            throw Failure(
                .notFound, "there is no run that is \(names)", hint: "tintype \(kind.rawValue) list shows all")
        }
        return job
    }

    /// Prints how far a run is.
    func tell(of kind: BatchJobKind) async throws {
        try await settings.storage.withJobs(settings) { jobs in
            let job = try await job(of: jobs, in: Set(BatchJobState.allCases), kind: kind)
            if json { Terminal.outputJSON(job) } else { Terminal.output(job.line) }
        }
    }

    /// Does something to a run, and follows it where it goes on.
    func change(
        _ verb: JobsClient.Verb, in states: Set<BatchJobState>, follows: Bool, kind: BatchJobKind = .rethumb
    ) async throws {
        try await settings.storage.withJobs(settings) { jobs in
            let job = try await job(of: jobs, in: states, kind: kind)
            let follower = JobFollower(jobs: jobs, isJSON: json, kind: kind)
            // A run that was cut off with its process runs, as far as anybody knows.
            if verb == .resume, job.state == .running {
                return try await follower.follow(job.id)
            }
            let changed = try await jobs.do(verb, to: job.id)
            if follows { return try await follower.follow(job.id) }
            if json { Terminal.outputJSON(changed) } else { Terminal.output(changed.line) }
        }
    }
}

extension SettingOptions {
    /// Prints the runs of a kind, the newest first.
    func listRuns(of kind: BatchJobKind, asJSON: Bool) async throws {
        let jobs = try await storage.withJobs(self) { try await $0.list() }.filter { $0.kind == kind }
        for job in jobs {
            if asJSON { Terminal.outputJSON(job) } else { Terminal.output(job.line) }
        }
        if jobs.isEmpty { Terminal.note("there are no runs") }
    }
}

extension BatchJobDocument {
    /// What it has done with posts.
    var verb: String {
        if kind == .originals { return "changed" }
        return switches == .last && phase == .render ? "prepared" : "switched"
    }

    /// The run on one line, for people.
    var line: String {
        var words = ["\(id)", state.rawValue]
        if phase != .render { words.append(phase.rawValue) }
        if let rule { words.append(rule) }
        words.append("\(done) of \(total) posts, \(switched) \(verb), \(failed) failed")
        if let rate, state == .running { words.append("\(rate)/s") }
        if let secondsLeft { words.append("\(Duration.seconds(secondsLeft).formatted(.units())) left") }
        if let waiting { words.append(waiting) }
        if let fault { words.append(fault) }
        return words.joined(separator: "  ").printable
    }
}

extension RethumbCommand {
    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Tell how far a run is.", usage: "tintype rethumb status [<run>] [--json]",
            discussion: """
                EXAMPLES
                  tintype rethumb status
                  tintype rethumb status --json | jq .seconds_left
                """)

        @OptionGroup var options: RunOptions

        func run() async throws { try await options.tell(of: .rethumb) }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the runs, the newest first.",
            usage: "tintype rethumb list [--json] [<options>]",
            discussion: """
                EXAMPLES
                  tintype rethumb list
                  tintype rethumb list --json | jq -r .id
                """)

        @OptionGroup var settings: SettingOptions

        @Flag(help: "Print one JSON document for each run.")
        var json = false

        func run() async throws { try await settings.listRuns(of: .rethumb, asJSON: json) }
    }

    struct Pause: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "pause", abstract: "Have a run wait.", usage: "tintype rethumb pause [<run>] [--json]",
            discussion: """
                EXAMPLES
                  tintype rethumb pause
                """)

        @OptionGroup var options: RunOptions

        func run() async throws { try await options.change(.pause, in: [.running], follows: false) }
    }

    struct Resume: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "resume", abstract: "Go on with a run, and follow it.",
            usage: "tintype rethumb resume [<run>] [--json]",
            discussion: """
                EXAMPLES
                  tintype rethumb resume
                """)

        @OptionGroup var options: RunOptions

        func run() async throws { try await options.change(.resume, in: [.paused, .running], follows: true) }
    }

    struct Cancel: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "cancel", abstract: "End a run; what it has done stays.",
            usage: "tintype rethumb cancel [<run>] [--json]",
            discussion: """
                EXAMPLES
                  tintype rethumb cancel
                """)

        @OptionGroup var options: RunOptions

        func run() async throws { try await options.change(.cancel, in: [.running, .paused], follows: false) }
    }

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

        func run() async throws { try await options.change(.switch, in: [.prepared], follows: true) }
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
            try await options.change(.rollback, in: [.prepared, .finished, .cancelled, .failed], follows: true)
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
                let job = try await options.job(of: jobs, in: [])
                try await jobs.remove(job.id)
                if options.json { Terminal.outputJSON(job) } else { Terminal.output("forgot \(job.id)") }
            }
        }
    }
}
