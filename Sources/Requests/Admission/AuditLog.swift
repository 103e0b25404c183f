package import API
package import Access
import Concurrency
import DequeModule
package import HTTPTypes
package import Logging
import Synchronization
package import Transport
import Tree

/// The lines of the log that tell who was refused what, and what admins have done. None has anything secret in it.
package final class AuditLog: Sendable {
    /// So many refusals are told in a second, over some time: whoever is refused again and again must not fill the disk.
    private static let refusalsPerSecond = 20.0
    private static let burst = 30.0

    /// How many acts and refusals are kept for operators to look at.
    package static let kept = 500

    private struct State {
        var bucket = TokenBucket(perSecond: refusalsPerSecond, burst: burst, now: .now)
        /// Refusals that were not told.
        var skippedCount = 0
        /// The last that were told, the oldest first.
        var told: Deque<RefusalDocument> = []
        var toldCount = 0
    }

    private let logger: Logger
    private let state = Mutex(State())

    package init(_ logger: Logger) { self.logger = logger }

    /// Tells of a request that was refused.
    ///
    /// - Parameter proof: Makes the proof of who sent it, for a request that is told of.
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

    /// Tells of a connection that was refused, for its address has too many.
    package func refusedConnection(from address: String) {
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

    /// The last refusals and acts of admins that were told, the newest first.
    package func last(_ limit: Int) -> [RefusalDocument] { state.withLock { $0.told.suffix(limit).reversed() } }

    /// How many refusals and acts of admins were told since the start.
    package var toldCount: Int { state.withLock { $0.toldCount } }

    /// Counts a refusal.
    ///
    /// - Returns: How many have not been told since the last one that was; nil when this one is not to be told either.
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

    /// Tells of something that an admin has done.
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
