package import API
package import Imaging
import Model
import Tree
package import TreeModel
package import Uploads

/// A job over posts that goes on without whoever began it, and over restarts: at `batch_jobs/{id}` of the pipeline's own tree.
package struct PostRun: Sendable, Hashable {
    package let id: PushID
    package let kind: PostRunKind
    package internal(set) var selection: PostSelection
    package var state: PostRunState
    package var phase = PostRunPhase.render
    /// Of a job that renders: when posts show what it has made.
    package let switches: PostRunSwitch
    /// Of a job that renders: the recipes by which it does, whatever the settings say later; nil for those of the settings.
    package var recipes: [Recipe]?
    /// Of a job over originals: what it does, whatever the settings say later.
    package var rule: OriginalRule?
    package var pace = PostRunPace()
    package var progress = PostRunProgress()
    /// When it was begun.
    package let createdAt: Timestamp
    /// When it ended; nil while it has not.
    package var endedAt: Timestamp?
    /// The time that it ran, in milliseconds, without its pauses.
    package var activeMilliseconds: Int64 = 0
    /// What ended it before its end; nil for nothing.
    package var fault: String?

    init(
        id: PushID, kind: PostRunKind, selection: PostSelection = .init(), switches: PostRunSwitch = .each,
        createdAt: Timestamp
    ) {
        (self.id, self.kind, self.selection, self.createdAt) = (id, kind, selection, createdAt)
        self.switches = switches
        state = .running
    }

    /// Whether it is for the posts of a list alone.
    package var isListed: Bool { selection.list != nil }

    /// How many posts it looks at in a second, over all its time; nil before there is anything to tell by.
    package var postsPerSecond: Double? {
        guard activeMilliseconds > 0, progress.done > 0 else { return nil }
        return Double(progress.done) * 1000 / Double(activeMilliseconds)
    }

    /// How many seconds it will take from now on, if it goes on as so far.
    package var secondsLeft: Int? {
        guard state == .running, let postsPerSecond else { return nil }
        let left = Double(progress.total - progress.done) / postsPerSecond
        return Int(exactly: left.rounded(.up))
    }

    /// What does it.
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

    /// What it is when it has come to its end.
    var stateAtEnd: PostRunState {
        switch phase {
        case .render: kind == .rethumb && switches == .last ? .prepared : .finished
        case .switch: .finished
        case .rollback: .rolledBack
        }
    }

    /// Whether nothing is needed of it any more: not while there are renditions that it has made and nobody has seen.
    var isForgettable: Bool {
        let keepsFiles = kind == .rethumb && switches == .last && [.cancelled, .failed].contains(state)
        return state.isEnded && !keepsFiles
    }

    /// Begins the switch, or the way back.
    mutating func begin(_ phase: PostRunPhase) {
        self.phase = phase
        (state, endedAt, fault) = (.running, nil, nil)
        // What the phase before has changed is what there is to look at.
        let total = progress.switched
        (progress, activeMilliseconds) = (PostRunProgress(), 0)
        progress.total = total
    }
}

// MARK: - As it is written

extension PostRun {
    /// Reads a record; nil for what is none.
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
        activeMilliseconds = value["active_ms"]?.integerValue ?? 0
        fault = value["fault"]?.stringValue
        func count(_ name: TreeKey) -> Int { Int(clamping: value[name]?.integerValue ?? 0) }
        (progress.total, progress.done) = (count("total"), count("done"))
        (progress.switched, progress.failed) = (count("switched"), count("failed"))
        progress.lastFailure = value["last_failure"]?.stringValue
        progress.position = value["position"]?.stringValue.flatMap { PostID($0) }
    }

    var value: TreeValue {
        var fields: [TreeKey: TreeValue] = [
            "kind": .string(kind.rawValue), "state": .string(state.rawValue), "phase": .string(phase.rawValue),
            "switch": .string(switches.rawValue), "created_at": createdAt.value,
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
