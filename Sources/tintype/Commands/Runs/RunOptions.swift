import API
import ArgumentParser
import Foundation
import Uploads

/// The id of the run.
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
        of jobs: PostRunsClient, in states: Set<PostRunState>, kind: PostRunKind
    ) async throws -> PostRunDocument {
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
    func tell(of kind: PostRunKind) async throws {
        try await settings.storage.withJobs(settings) { jobs in
            let job = try await job(of: jobs, in: Set(PostRunState.allCases), kind: kind)
            if json { Terminal.outputJSON(job) } else { Terminal.output(job.line) }
        }
    }

    /// Does something to a run, and follows it where it goes on.
    func change(
        _ verb: PostRunsClient.Verb, in states: Set<PostRunState>, follows: Bool, kind: PostRunKind
    ) async throws {
        try await settings.storage.withJobs(settings) { jobs in
            let job = try await job(of: jobs, in: states, kind: kind)
            let follower = PostRunFollower(jobs: jobs, isJSON: json, kind: kind)
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

extension PostRunDocument {
    /// The counts of posts that it has changed.
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
