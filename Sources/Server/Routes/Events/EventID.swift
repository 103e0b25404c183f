import API
import HTTPTypes
import Hummingbird
import Requests
import Tree

/// The id of an event: `42` for the last event of change 42, `42-1` when one event of that change has been sent and
/// others follow.
struct EventID {
    private let sequence: UInt64
    /// The number of events of the change that have been sent; nil for all of them.
    private let toldCount: Int?

    /// Returns the id of the last event that a reader has seen; nil when the reader begins now.
    ///
    /// - Throws: `Failure` `bad_request` for a malformed query. A malformed header was issued by another service at
    ///   this address; then it is unknown what was missed.
    static func requested(by request: Request, _ query: RequestFields) throws(Failure) -> EventID? {
        if let text = request.headers[.lastEventID], !text.isEmpty {
            return EventID(text) ?? EventID(sequence: .max, toldCount: nil)
        }
        guard let text = query["since"] else { return nil }
        guard let id = EventID(text) else {
            throw Failure(
                .badRequest, "since is not an event's id",
                hint: "Use the id of the last event, or the header Tintype-Token of a list of posts.")
        }
        return id
    }

    /// The parameters with the id in a request.
    static let parameters: [Parameter] = [
        .query("since", .text, "the id of an event, or the header `Tintype-Token` of a list"),
        .header("Last-Event-ID", .text, "in place of `since`"),
    ]

    private init(sequence: UInt64, toldCount: Int?) {
        self.sequence = sequence
        self.toldCount = toldCount
    }

    private init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let sequence = UInt64(parts[0]) else { return nil }
        self.init(sequence: sequence, toldCount: nil)
        guard parts.count == 2 else { return }
        guard sequence > 0, let count = Int(parts[1]), count > 0 else { return nil }
        self.init(sequence: sequence, toldCount: count)
    }

    /// The position in the change log after which to read.
    var before: SyncToken { SyncToken(sequence: toldCount == nil ? sequence : sequence - 1) }

    /// Returns the number of events of a change that have been sent.
    func toldCount(at token: SyncToken) -> Int { token.sequence == sequence ? toldCount ?? 0 : 0 }
}
