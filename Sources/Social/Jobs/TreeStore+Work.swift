import Tree

extension TreeStore {
    /// Works in rounds until the task is cancelled or the store is closed. When no work is left, it waits for a change.
    ///
    /// - Parameters:
    ///   - round: Does the pending work; returns whether there was any.
    ///   - limit: The longest wait, for work that is due without a change.
    func work(round: () async throws -> Bool, waitingAtMost limit: () async throws -> Duration) async {
        while !Task.isCancelled {
            do {
                let token = try await token
                guard try await !round() else { continue }
                await waitForChange(after: token, atMost: try await limit())
                // A short pause combines the changes of many writers into one round.
                try await Task.sleep(for: .milliseconds(20))
            } catch {
                guard (error as? TreeError)?.code != .closed else { return }
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }
}
