/// The kinds of files that use storage.
package enum UsageKind: String, CaseIterable, Sendable {
    /// Originals of posts and avatars.
    case originals
    /// Objects of the bucket, photos among them.
    case objects
    /// Renditions that are shown.
    case renditions
    /// Renditions that a rethumb run has created and that are not shown yet.
    case prepared
    /// Files that are deleted when the grace period ends: those of deleted posts, and replaced renditions.
    case garbage
    /// Photos of drafts, and uploads in progress with their announced size.
    case unfinished
}

/// The users whom a quota applies to.
package enum QuotaScope: String, Codable, CaseIterable, Sendable {
    /// One user, for whom an admin has set it.
    case user
    case everybody
    /// The users who created their accounts themselves.
    case signedUp = "signed-up"
    /// Those of them who are anonymous.
    case anonymous
}

/// A limit on the bytes that a user may store.
package struct Quota: Sendable, Hashable {
    package let bytes: Int
    package let scope: QuotaScope

    package init(_ bytes: Int, for scope: QuotaScope) { (self.bytes, self.scope) = (bytes, scope) }
}

/// The storage that the files of a user, or of all users, use.
package struct UsageDocument: Document, Hashable {
    /// A number of files and their total size.
    package struct Size: Document, Hashable {
        package var bytes: Int
        package var files: Int

        package init(bytes: Int = 0, files: Int = 0) { (self.bytes, self.files) = (bytes, files) }
    }

    /// The id of the user; absent for all users.
    package let user: String?
    /// The person's name; absent for all users, and for somebody without a name.
    package var name: String?
    package let originals: Size
    package let objects: Size
    package let renditions: Size
    package let prepared: Size
    package let garbage: Size
    package let unfinished: Size
    package let total: Size
    /// The bytes that count against the quota: originals, objects, and unfinished uploads.
    package let used: Int
    /// The limit on ``used``, in bytes; absent if there is none.
    package let quota: Int?
    /// The users whom the limit applies to; absent if there is no limit.
    package let quotaScope: QuotaScope?
    /// The time at which the user's own quota was set, in milliseconds since the epoch; absent for other quotas, and if
    /// it is not known.
    package var quotaCreated: Int64?
    /// The time at which it was last changed, in milliseconds since the epoch.
    package var quotaUpdated: Int64?

    private enum CodingKeys: String, CodingKey {
        case user, name, originals, objects, renditions, prepared, garbage, unfinished, total, used, quota
        case quotaScope = "quota_for"
        case quotaCreated = "quota_created"
        case quotaUpdated = "quota_updated"
    }

    /// - Parameter size: Returns the size of each kind.
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

    /// The size of one kind.
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

/// A page of the storage that users use, in the order of their ids.
package struct UsagePageDocument: Document {
    package let users: [UsageDocument]
    /// The storage that all files use together.
    package let all: UsageDocument
    /// Whether everything has been counted; false in the first minutes after a store of an older version was opened.
    package let isComplete: Bool
    package let hasMore: Bool
    /// The cursor of the next page; nil on the last page.
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
