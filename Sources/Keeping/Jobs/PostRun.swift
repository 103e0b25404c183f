package import API
package import Imaging
import Model
import Tree
package import TreeModel
package import Uploads

/// A job over posts that runs without a client and survives restarts. It is stored at `batch_jobs/{id}` of the
/// pipeline's own tree.
package struct PostRun: Sendable, Hashable {
    package let id: PushID
    package let kind: PostRunKind
    package internal(set) var selection: PostSelection
    package var state: PostRunState
    package var phase = PostRunPhase.render
    /// The time at which posts show what a rendering job has made: each post at once, or all at the end.
    package let switches: PostRunSwitch
    /// The recipes of a rendering job, which later changes of the settings do not affect; nil for those of the
    /// settings.
    package var recipes: [Recipe]?
    /// The rule of a job over originals, which later changes of the settings do not affect; nil for other jobs.
    package var rule: OriginalRule?
    package var pace = PostRunPace()
    package var progress = PostRunProgress()
    /// The time at which the job was started.
    package let createdAt: Timestamp
    /// The time at which the record was last saved; that of the start before.
    package private(set) var updatedAt: Timestamp
    /// The time at which the job ended; nil while it runs or is paused.
    package var endedAt: Timestamp?
    /// The time that the job has run, in milliseconds, without its pauses.
    package var activeMilliseconds: Int64 = 0
    /// The error that ended the job early; nil if there was none.
    package var fault: String?

    init(
        id: PushID, kind: PostRunKind, selection: PostSelection = .init(), switches: PostRunSwitch = .each,
        createdAt: Timestamp
    ) {
        (self.id, self.kind, self.selection, self.createdAt) = (id, kind, selection, createdAt)
        self.switches = switches
        updatedAt = createdAt
        state = .running
    }

    /// Whether the job is only for the posts of a list.
    package var isListed: Bool { selection.list != nil }

    /// The average number of posts that the job processes in a second; nil before the first post.
    package var postsPerSecond: Double? {
        guard activeMilliseconds > 0, progress.done > 0 else { return nil }
        return Double(progress.done) * 1000 / Double(activeMilliseconds)
    }

    /// The estimated number of seconds until the job's end; nil if it does not run or has no speed yet.
    package var secondsLeft: Int? {
        guard state == .running, let postsPerSecond else { return nil }
        let left = Double(progress.total - progress.done) / postsPerSecond
        return Int(exactly: left.rounded(.up))
    }

    /// Creates the work of the job's current phase.
    func job(with tools: PostTools) -> any PostRunWork {
        switch (kind, phase) {
        case (.scrub, _): OriginalScrub(tools, user: selection.user, isCheck: false)
        case (.originals, _): OriginalRetention(tools, by: rule, user: selection.user, at: createdAt)
        case (.rethumb, .render): Rethumb(tools, selection: selection, by: recipes, rethumbRun: rethumbRun)
        case (.rethumb, .switch): RethumbRunSwitch(tools: tools, rethumbRun: rethumbRun)
        case (.rethumb, .rollback): RethumbRunRollback(tools: tools, rethumbRun: rethumbRun)
        }
    }

    private var rethumbRun: RethumbRun { RethumbRun(id: id, switchesLast: switches == .last) }

    /// The state that follows when the current phase has finished.
    var stateAtEnd: PostRunState {
        switch phase {
        case .render: kind == .rethumb && switches == .last ? .prepared : .finished
        case .switch: .finished
        case .rollback: .rolledBack
        }
    }

    /// Whether the job's record can be deleted: not while it keeps renditions that no post shows.
    var isForgettable: Bool {
        let keepsFiles = kind == .rethumb && switches == .last && [.cancelled, .failed].contains(state)
        return state.isEnded && !keepsFiles
    }

    /// Starts the switch or the rollback.
    mutating func begin(_ phase: PostRunPhase) {
        self.phase = phase
        (state, endedAt, fault) = (.running, nil, nil)
        // The posts that the phase before has changed are those to process.
        let total = progress.switched
        (progress, activeMilliseconds) = (PostRunProgress(), 0)
        progress.total = total
    }
}

// MARK: - The stored record

extension PostRun {
    /// Reads a record; nil if it is malformed.
    init?(_ child: TreeChild) {
        let value = child.value
        guard let id = PushID(child.key.string), let kind = value["kind"]?.stringValue.flatMap(PostRunKind.init),
            let state = value["state"]?.stringValue.flatMap(PostRunState.init),
            let createdAt = value["created_at"]?.timestampValue
        else { return nil }
        var selection = PostSelection()
        selection.user = value["user"]?.stringValue.flatMap { UserID($0) }
        selection.since = value["since"]?.timestampValue
        selection.onlyMissing = value["only_missing"]?.boolValue ?? false
        selection.until = value["until"]?.timestampValue
        selection.onlyDamaged = value["only_damaged"]?.boolValue ?? false
        if value["listed"]?.boolValue == true { selection.list = id }
        let switches = value["switch"]?.stringValue.flatMap(PostRunSwitch.init) ?? .each
        self.init(id: id, kind: kind, selection: selection, switches: switches, createdAt: createdAt)
        self.state = state
        recipes = value["recipes"]?.stringValue.map { text in
            text.split(separator: " ").compactMap { try? Recipe(parsing: String($0)) }
        }
        rule = value["rule"]?.stringValue.flatMap { OriginalRule($0) }
        pace.concurrency = value["concurrency"]?.integerValue.map { max(1, Int(clamping: $0)) }
        pace.postsPerSecond = value["rate"]?.integerValue.map { Int(clamping: $0) }
        phase = value["phase"]?.stringValue.flatMap(PostRunPhase.init) ?? .render
        endedAt = value["ended_at"]?.timestampValue
        updatedAt = value["updated_at"]?.timestampValue ?? endedAt ?? createdAt
        activeMilliseconds = value["active_ms"]?.integerValue ?? 0
        fault = value["fault"]?.stringValue
        func count(_ name: TreeKey) -> Int { Int(clamping: value[name]?.integerValue ?? 0) }
        (progress.total, progress.done) = (count("total"), count("done"))
        (progress.switched, progress.failed) = (count("switched"), count("failed"))
        progress.lastFailure = value["last_failure"]?.stringValue
        progress.position = value["position"]?.stringValue.flatMap { PostID($0) }
    }

    /// Returns the record that is saved at a time.
    mutating func saved(at time: Timestamp) -> TreeValue {
        updatedAt = max(updatedAt, time)
        return value
    }

    var value: TreeValue {
        var fields: [TreeKey: TreeValue] = [
            "kind": .string(kind.rawValue), "state": .string(state.rawValue), "phase": .string(phase.rawValue),
            "switch": .string(switches.rawValue), "created_at": createdAt.value,
            "updated_at": updatedAt.value,
            "active_ms": .integer(activeMilliseconds), "total": .integer(Int64(progress.total)),
            "done": .integer(Int64(progress.done)), "switched": .integer(Int64(progress.switched)),
            "failed": .integer(Int64(progress.failed)),
        ]
        if let user = selection.user { fields["user"] = .string(user.description) }
        if let since = selection.since { fields["since"] = since.value }
        if selection.onlyMissing { fields["only_missing"] = true }
        if let until = selection.until { fields["until"] = until.value }
        if selection.onlyDamaged { fields["only_damaged"] = true }
        if selection.list != nil { fields["listed"] = true }
        if let recipes { fields["recipes"] = .string(recipes.map(\.description).joined(separator: " ")) }
        if let rule { fields["rule"] = .string(rule.description) }
        if let concurrency = pace.concurrency { fields["concurrency"] = .integer(Int64(concurrency)) }
        if let rate = pace.postsPerSecond { fields["rate"] = .integer(Int64(rate)) }
        if let endedAt { fields["ended_at"] = endedAt.value }
        if let fault { fields["fault"] = .string(fault) }
        if let failure = progress.lastFailure { fields["last_failure"] = .string(String(failure.prefix(1000))) }
        if let position = progress.position { fields["position"] = .string(position.string) }
        return .object(fields)
    }
}
