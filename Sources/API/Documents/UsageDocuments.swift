/// What takes up room in a store.
package enum UsageKind: String, CaseIterable, Sendable {
    /// Photos as they were sent, of posts and of avatars.
    case originals
    /// Objects of the bucket, photos among them.
    case objects
    /// Renditions that are shown.
    case renditions
    /// Renditions that a run has made, and that nobody has seen yet.
    case prepared
    /// Files that go when the grace period is over: of deleted posts, of replaced renditions.
    case garbage
    /// Photos of drafts, and uploads that are being received, with the size that was announced.
    case unfinished
}

/// The people whom a quota is for.
package enum QuotaScope: String, Codable, CaseIterable, Sendable {
    /// One user, for whom an admin has chosen it.
    case user
    case everybody
    /// Those who made their accounts themselves.
    case signedUp = "signed-up"
    /// Those of them of whom nothing says who they are.
    case anonymous
}

/// A limit for the bytes that each of some people may store.
package struct Quota: Sendable, Hashable {
    package let bytes: Int
    package let scope: QuotaScope

    package init(_ bytes: Int, for scope: QuotaScope) { (self.bytes, self.scope) = (bytes, scope) }
}

/// How much room somebody's files take up, or everybody's.
package struct UsageDocument: Document, Hashable {
    /// A number of files, and their sizes together.
    package struct Size: Document, Hashable {
        package var bytes: Int
        package var files: Int

        package init(bytes: Int = 0, files: Int = 0) { (self.bytes, self.files) = (bytes, files) }
    }

    /// Whose they are; absent of everybody's.
    package let user: String?
    package let originals: Size
    package let objects: Size
    package let renditions: Size
    package let prepared: Size
    package let garbage: Size
    package let unfinished: Size
    package let total: Size
    /// The bytes that count for the quota: of originals, objects, and what is unfinished.
    package let used: Int
    /// How many those may be; absent where there is no limit.
    package let quota: Int?
    /// The people whom that limit is for.
    package let quotaScope: QuotaScope?

    private enum CodingKeys: String, CodingKey {
        case user, originals, objects, renditions, prepared, garbage, unfinished, total, used, quota
        case quotaScope = "quota_for"
    }

    /// - Parameter size: The room that each kind takes up.
    package init(user: String?, quota: Quota? = nil, _ size: (UsageKind) -> Size) {
        (self.user, self.quota, quotaScope) = (user, quota?.bytes, quota?.scope)
        used = size(.originals).bytes + size(.objects).bytes + size(.unfinished).bytes
        (originals, objects, renditions) = (size(.originals), size(.objects), size(.renditions))
        (prepared, garbage, unfinished) = (size(.prepared), size(.garbage), size(.unfinished))
        total = UsageKind.allCases.reduce(into: Size()) { total, kind in
            let size = size(kind)
            (total.bytes, total.files) = (total.bytes + size.bytes, total.files + size.files)
        }
    }

    /// The room that one kind takes up.
    package subscript(kind: UsageKind) -> Size {
        switch kind {
        case .originals: originals
        case .objects: objects
        case .renditions: renditions
        case .prepared: prepared
        case .garbage: garbage
        case .unfinished: unfinished
        }
    }
}

/// A page of what people's files take up, in the order of the people's ids.
package struct UsagePageDocument: Document {
    package let users: [UsageDocument]
    /// What all files together take up.
    package let all: UsageDocument
    /// Whether everything that there is has been counted: not in the first minutes after an older store was opened.
    package let isComplete: Bool
    package let hasMore: Bool
    /// From where the next page goes on; nil when there is none.
    package let next: String?

    private enum CodingKeys: String, CodingKey {
        case users, all
        case isComplete = "complete"
        case hasMore = "has_more"
        case next
    }

    package init(users: [UsageDocument], all: UsageDocument, isComplete: Bool, next: String?) {
        (self.users, self.all, self.isComplete, self.next) = (users, all, isComplete, next)
        hasMore = next != nil
    }
}
