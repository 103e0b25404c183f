import TintypeModel

/// A listener of the service's event stream for a part of the tree, over any number of connections.
struct TreeListener<Node: ObservedNode>: Sendable {
    let reference: TreeReference
    let query: TreeQuery?
    /// The node before the first event.
    let node: Node

    /// Emits a snapshot after each event, until the task is cancelled.
    ///
    /// - Throws: The refusal of the service; `SessionError`; `TreeInputError`; `CancellationError`.
    func run(_ emit: (Node.Snapshot) -> Void) async throws {
        var request = try reference.request("GET")
        if let query { request.query += try query.fields() }
        var (node, failureCount) = (node, 0)
        while true {
            var wait: Duration?
            do {
                try await listen(request, &node, &failureCount, emit)
            } catch let problem as Problem where problem.isTransient {
                wait = problem.retryAfter
            } catch let error as TransportError where error.isTransient {}
            try Task.checkCancellation()
            try await reference.client.clock.sleep(for: wait ?? Backoff.wait(afterFailures: failureCount))
            failureCount += 1
        }
    }

    /// Reads the events of one connection up to its end.
    ///
    /// After `cancel` and `auth_revoked` the service closes it. Whether the reason passes, such as a token that can be
    /// renewed, shows in the answer to the next request.
    private func listen(
        _ request: ServiceRequest, _ node: inout Node, _ failureCount: inout Int, _ emit: (Node.Snapshot) -> Void
    ) async throws {
        var isProven = false
        for try await event in try await reference.client.events(for: request) {
            if event.name == "cancel" || event.name == "auth_revoked" { return }
            // A service that ends each connection after its first event is not well.
            if isProven { failureCount = 0 }
            isProven = true
            guard let change = try TreeChange(event) else { continue }
            node.apply(change)
            emit(node.snapshot)
        }
    }
}
