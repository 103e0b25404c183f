import CoreMetrics
import Metering

/// The metrics of commits.
struct CommitMetrics: Sendable {
    private let groupSize: Recorder
    private let wait: Timer
    private let apply: Timer
    private let sync: Timer

    init(_ factory: any MetricsFactory) {
        groupSize = factory.histogram(
            "tintype_tree_group_updates", "Updates that shared a transaction of the tree.", .counts)
        wait = factory.timer(
            "tintype_tree_group_wait_seconds", "Time from an update's arrival to the beginning of its transaction.")
        apply = factory.timer(
            "tintype_tree_apply_seconds", "Time in which a transaction of the tree checked and wrote its updates.")
        sync = factory.timer(
            "tintype_tree_sync_seconds", "Time from the last write of a transaction of the tree until it was durable.")
    }

    /// Records the updates of a transaction that begins, by the instants of their arrival.
    func begin(_ arrivals: [ContinuousClock.Instant]) {
        let now = ContinuousClock.now
        groupSize.record(arrivals.count)
        for arrival in arrivals { wait.record(now - arrival) }
    }

    /// Records that a transaction is durable.
    func commit(begun: ContinuousClock.Instant, applied: ContinuousClock.Instant) {
        apply.record(applied - begun)
        sync.record(since: applied)
    }
}
