/// Where an upload stands, and what is durable there. Read this first: the rest of the module makes these moves.
///
///     reserved ──accept───> ingested ──render, commit──> published
///     draft ────publish──┘     │
///                              ├──same bytes──> duplicate   (of a post of the same user; dropped files only)
///                              └──verdict──> failed        (a reservation may fail, too: its bytes were no photo)
///
///     reserved, draft ──left alone──> expired
///
/// Every move is one multi-path update with the old state as its precondition, so that of two that race (a publish and
/// an expiry, two clients with one idempotency key) exactly one wins.
package enum UploadState: String, Sendable, CaseIterable {
    /// The post's id is taken; no byte is promised yet. Expires.
    case reserved
    /// FriendlyPix's upload screen: photos are added and rendered one by one, each durable when it is answered;
    /// nothing is visible until the text is sent. Expires when it is left alone.
    case draft
    /// Every original is in the blob store, hashed and fsynced. **The upload is acknowledged**: from here it ends as
    /// a post or as a failure with a reason, whatever crashes.
    case ingested
    /// The post, its place in the author's posts and feed, and this state were committed in one update.
    case published
    /// A dropped file whose bytes its user has posted before: that post is what became of it.
    case duplicate
    /// The photo can never become a post; the reason is kept, and the bytes are put aside for a person to find.
    case failed
    /// A reservation or draft that nobody finished.
    case expired

    /// The states to which this one may move.
    package var next: Set<UploadState> {
        switch self {
        case .reserved: [.ingested, .failed, .expired]
        case .draft: [.ingested, .expired]
        case .ingested: [.published, .duplicate, .failed]
        case .published, .duplicate, .failed, .expired: []
        }
    }

    /// Whether the upload's story is over.
    package var isTerminal: Bool { next.isEmpty }
}

/// The way by which an upload came in.
package enum Door: String, Sendable {
    case inbox
    case socket
}
