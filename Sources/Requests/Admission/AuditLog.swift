package import API
package import Access
import Concurrency
import DequeModule
package import HTTPTypes
package import Logging
import Synchronization
package import Transport
import Tree

/// Logs refusals and the actions of admins. The lines contain no secrets.
package final class AuditLog: Sendable {
    /// The average rate of logged refusals, per second; repeated refusals must not fill the disk.
    private static let refusalsPerSecond = 20.0
    private static let burst = 30.0

    /// The number of actions and refusals that are kept for operators.
    package static let kept = 500

    private struct State {
        var bucket = TokenBucket(perSecond: refusalsPerSecond, burst: burst, now: .now)
        /// The number of refusals that were not logged.
        var skippedCount = 0
        /// The last logged entries, the oldest first.
        var told: Deque<RefusalDocument> = []
        var toldCount = 0
    }

    private let logger: Logger
    private let refusedConnections = Atomic(0)
    private let state = Mutex(State())

    package init(_ logger: Logger) { self.logger = logger }

    /// Logs a refused request.
    ///
    /// - Parameter proof: Creates the sender's proof; called only if the request is logged.
    package func refused(
        _ request: HTTPRequest, from client: ClientConnection, proof: () -> Proof?, status: HTTPResponse.Status,
        error: any Error, trace: String
    ) {
        guard let skipped = count() else { return }
        var metadata = metadata(request, client, proof())
        metadata["status"] = "\(status.code)"
        let reason = (error as? Failure)?.reason ?? ""
        metadata["error"] = "\("\(error)\(reason.isEmpty ? "" : ": \(reason)")".printable)"
        metadata["trace"] = "\(trace)"
        if skipped > 0 { metadata["skipped"] = "\(skipped)" }
        tell(.refused, "refused", metadata)
    }

    /// Logs a connection that was refused because its address has too many.
    package func refusedConnection(from address: String) {
        refusedConnections.add(1, ordering: .relaxed)
        guard let skipped = count() else { return }
        var metadata: Logger.Metadata = ["address": "\(address)", "error": "too many connections"]
        if skipped > 0 { metadata["skipped"] = "\(skipped)" }
        tell(.refused, "refused", metadata)
    }

    private func tell(_ kind: RefusalDocument.Kind, _ words: String, _ metadata: Logger.Metadata) {
        logger.notice("audit: \(words)", metadata: metadata)
        let document = RefusalDocument(kind, at: WallClock.now().milliseconds, metadata.mapValues(\.description))
        state.withLock { state in
            if state.told.count >= Self.kept { state.told.removeFirst() }
            state.told.append(document)
            state.toldCount += 1
        }
    }

    /// Returns the last logged refusals and actions of admins, the newest first.
    package func last(_ limit: Int) -> [RefusalDocument] { state.withLock { $0.told.suffix(limit).reversed() } }

    /// The number of refusals and actions of admins logged since the start.
    package var toldCount: Int { state.withLock { $0.toldCount } }

    /// The number of connections since the start that were refused because their addresses had too many.
    package var refusedConnectionCount: Int { refusedConnections.load(ordering: .relaxed) }

    /// Counts a refusal.
    ///
    /// - Returns: The number of refusals skipped since the last logged one; nil when this one must be skipped, too.
    private func count() -> Int? {
        state.withLock { state in
            guard state.bucket.take(1, now: .now) == nil else {
                state.skippedCount += 1
                return nil
            }
            defer { state.skippedCount = 0 }
            return state.skippedCount
        }
    }

    /// Logs an action of an admin.
    func done(_ request: HTTPRequest, from client: ClientConnection, proof: Proof) {
        tell(.done, "done by an admin", metadata(request, client, proof))
    }

    private func metadata(_ request: HTTPRequest, _ client: ClientConnection, _ proof: Proof?) -> Logger.Metadata {
        let path = request.path?.prefix { $0 != "?" }.prefix(200) ?? ""
        return [
            "request": "\("\(request.method) \(path)".printable)", "address": "\(client.address(of: request))",
            "identity": "\(proof?.identity.description ?? "unknown")", "proof": "\(proof?.label ?? "none")",
        ]
    }
}
