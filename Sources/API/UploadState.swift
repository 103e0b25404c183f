/// The states of an upload, with what is durable in each. Read this first: `Pipeline` makes these moves.
///
///     reserved ──accept───> ingested ──render, commit──> published ──files swept──> deleted
///     draft ────publish──┤     │
///     receiving ──finish─┘     │                    (the photo of a draft ──finish──> published: it is the draft's then)
///                              ├──same bytes──> duplicate   (of a post of the same user)
///                              └──permanent failure──> failed   (a reservation, or what was received, may fail, too: its bytes were no photo)
///
///     reserved, draft, receiving ──left alone──> expired
///
/// Every move is one multi-path update that commits only in the state that it was decided by, so that of two that race
/// (a publish and an expiry, two clients with one idempotency key) exactly one wins.
package enum UploadState: String, Codable, Sendable, CaseIterable {
    /// The post's id is taken; no byte is promised yet. Expires.
    case reserved
    /// FriendlyPix's upload screen: photos are added and rendered one by one, each durable when it is answered;
    /// nothing is visible until the text is sent. Expires when it is left alone.
    case draft
    /// The photo comes in several requests, whatever interrupts them: some of its bytes are durable, and its sender knows how
    /// many. Expires when it is left alone.
    case receiving
    /// Every original is in the blob store, hashed and fsynced. **The upload is acknowledged**: from here it ends as
    /// a post or as a failure with a reason, whatever crashes.
    case ingested
    /// The post, its place in the author's posts and feed, and this state were committed in one update.
    case published
    /// It was published; then somebody deleted the post, and its files went after the grace period.
    case deleted
    /// Photos that their user has posted before, and that were not to be posted again: that post is what became of them.
    case duplicate
    /// The photo can never become a post; the reason is kept, and the bytes are put aside for a person to find.
    case failed
    /// A reservation, a draft, or what was being received, that nobody finished.
    case expired

    /// The states to which this one may move.
    package var next: Set<UploadState> {
        switch self {
        case .reserved: [.ingested, .failed, .expired]
        case .receiving: [.ingested, .published, .failed, .expired]
        case .draft: [.ingested, .expired]
        case .ingested: [.published, .duplicate, .failed]
        case .published: [.deleted]
        case .duplicate, .failed, .expired, .deleted: []
        }
    }

    /// Whether the upload has ended; its post may still be deleted.
    package var isTerminal: Bool { self == .published || next.isEmpty }

    /// Whether its sender has not finished it: it expires when it is left alone.
    package var isUnfinished: Bool { next.contains(.expired) }

    /// Whether the blobs of an upload in this state are a post's. Those of one that ended otherwise are deleted.
    package var isPost: Bool {
        switch self {
        case .published, .deleted: true
        case .reserved, .draft, .receiving, .ingested, .duplicate, .failed, .expired: false
        }
    }
}
