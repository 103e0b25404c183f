/// The states of an upload, with what is durable in each. Read this first: `Pipeline` makes these transitions.
///
///     reserved ──accept───> ingested ──render, commit──> published ──files swept──> deleted
///     draft ────publish──┤     │
///     receiving ──finish─┘     │                    (the photo of a draft ──finish──> published: it is the draft's then)
///                              ├──same bytes──> duplicate   (of a post of the same user)
///                              └──permanent failure──> failed   (a reservation, or what was received, may fail, too: its bytes were no photo)
///
///     reserved, draft, receiving ──left alone──> expired
///
/// Every transition is one multi-path update that commits only if the upload is still in its former state, so that of
/// two that race (a publish and an expiry, two clients with one idempotency key) exactly one succeeds.
package enum UploadState: String, Codable, Sendable, CaseIterable {
    /// The post's id is reserved; no bytes are durable yet. Expires.
    case reserved
    /// FriendlyPix's upload screen: photos are added and rendered one by one, each durable when its request is
    /// answered; nothing is visible until the text is sent. Expires when it is left alone.
    case draft
    /// The photo arrives in several requests, which may be interrupted: some of its bytes are durable, and its sender
    /// can query how many. Expires when it is left alone.
    case receiving
    /// Every original is in the blob store, hashed and fsynced. **The upload is acknowledged**: it ends as a post or as
    /// a failure with a reason, even after a crash.
    case ingested
    /// The post, its entries in the author's posts and feed, and this state were committed in one update.
    case published
    /// The post was published and then deleted; its files were deleted after the grace period.
    case deleted
    /// The user has posted the same photos before, and did not want to post them again; the record names that post.
    case duplicate
    /// The photo can never become a post; the reason is kept, and the bytes are kept for an operator.
    case failed
    /// A reservation, a draft, or an upload in several requests that was not finished.
    case expired

    /// The states that may follow this one.
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

    /// Whether the sender has not finished the upload, so that it expires when it is left alone.
    package var isUnfinished: Bool { next.contains(.expired) }

    /// Whether the blobs of an upload in this state belong to a post; otherwise they are deleted.
    package var isPost: Bool {
        switch self {
        case .published, .deleted: true
        case .reserved, .draft, .receiving, .ingested, .duplicate, .failed, .expired: false
        }
    }
}
