import Tree

extension TreeStore {
    /// Works in rounds until the task is cancelled or the store is closed. When there is nothing left to do, it waits for a
    /// change.
    ///
    /// - Parameters:
    ///   - round: Does what there is to do; returns whether there was anything.
    ///   - limit: How long to wait at most, for what is due without a change.
    func work(round: () async throws -> Bool, waitingAtMost limit: () async throws -> Duration) async {
        while !Task.isCancelled {
            do {
                let token = try await token
                guard try await !round() else { continue }
                await waitForChange(after: token, atMost: try await limit())
                // Where many write, not each of them has a round begin.
                try await Task.sleep(for: .milliseconds(20))
            } catch {
                guard (error as? TreeError)?.code != .closed else { return }
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }
}
