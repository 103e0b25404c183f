import API
import ArgumentParser
import Foundation
import Model
import TreeModel
import Uploads

/// The options of commands about one run: its id, and those of `Source`.
struct RunOptions<Source: ConfigurationOptions>: ParsableArguments {
    @OptionGroup var source: Source

    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp(
            "The run's id (default if it is optional: the newest run that the command applies to).", valueName: "run"))
    var ids: [String] = []

    @Flag(help: "Print JSON documents.")
    var json = false

    func validate() throws {
        // Ids begin with a dash, so the parser reads unknown options as ids.
        if let option = names.first(where: { $0.hasPrefix("--") && PostID($0) == nil }) {
            throw ValidationError(SettingFlags.explanation(of: option) ?? "there is no option \(option.prefix(80))")
        }
        if names.count > 1 { throw ValidationError("give one run at most") }
    }

    private var names: [String] { ids.filter { $0 != "--" } }

    /// Returns the run that was named, or the newest run in one of the given states.
    func job(
        of jobs: PostRunsClient, in states: Set<PostRunState>, kind: PostRunKind
    ) async throws -> PostRunDocument {
        if let id = names.first { return try await jobs.job(id) }
        let all = try await jobs.list().filter { $0.kind == kind }
        guard let job = all.first(where: { states.contains($0.state) }) else {
            let names = states.map(\.rawValue).sorted().joined(separator: " or ")
            throw Failure(
                .notFound, "there is no run that is \(names)", hint: "List all with tintype \(kind.rawValue) ls.")
        }
        return job
    }

    /// Prints the progress of a run.
    func tell(of kind: PostRunKind) async throws {
        try await source.withJobs { jobs in
            let job = try await job(of: jobs, in: Set(PostRunState.allCases), kind: kind)
            if json { Terminal.outputJSON(job) } else { Terminal.output(job.line) }
        }
    }

    /// Changes a run, and follows it if `follows` is true.
    func change(
        _ verb: PostRunsClient.Verb, in states: Set<PostRunState>, follows: Bool, kind: PostRunKind
    ) async throws {
        try await source.withJobs { jobs in
            let job = try await job(of: jobs, in: states, kind: kind)
            let follower = PostRunFollower(jobs: jobs, isJSON: json, kind: kind)
            // A run whose process was killed is still recorded as running.
            if verb == .resume, job.state == .running {
                return try await follower.follow(job.id)
            }
            let changed = try await jobs.do(verb, to: job.id)
            if follows { return try await follower.follow(job.id) }
            if json { Terminal.outputJSON(changed) } else { Terminal.output(changed.line) }
        }
    }
}

extension PostRunsClient {
    /// Refuses flags that the running service would ignore.
    ///
    /// - Parameter remedy: The end of the message: another way to what the flags are for.
    /// - Throws: `ConfigurationError`, or `Failure` with the code `no_service`.
    func refuseFlags(of settings: RunSettings, otherwise remedy: String = "") async throws {
        guard case .service = self else { return }
        let flags = settings.given.sorted()
        guard flags.isEmpty else {
            // Fails if no service runs: the flags are then those of this process.
            _ = try await list()
            throw ConfigurationError(
                "the service runs, renders by its own settings, and would ignore \(flags.joined(separator: ", ")): "
                    + "write that into the configuration file, then \"tintype config reload\"\(remedy)")
        }
    }
}

extension PostRunDocument {
    /// The word for the posts that the run has changed.
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
