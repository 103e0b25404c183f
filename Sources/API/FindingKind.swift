/// The kinds of findings of a store check.
package enum FindingKind: String, Codable, CaseIterable, Sendable {
    // Files.
    /// An original is missing.
    case originalMissing = "original_missing"
    /// An original has another size than the file that was sent.
    case originalWrongSize = "original_wrong_size"
    /// An original has other bytes than were stored.
    case originalDamaged = "original_damaged"
    /// A rendition that a post shows is missing.
    case renditionMissing = "rendition_missing"
    case renditionWrongSize = "rendition_wrong_size"
    case renditionDamaged = "rendition_damaged"
    /// A post names a file of another upload as its rendition.
    case renditionForeign = "rendition_foreign"
    /// The bytes of an object of the bucket are missing.
    case objectMissing = "object_missing"
    case objectWrongSize = "object_wrong_size"
    case objectDamaged = "object_damaged"
    /// A file in the folder of a post that no record names.
    case orphanedFile = "orphaned_file"
    /// The files of a post that the tree contains neither as a post nor as a deleted post.
    case unclaimedFiles = "unclaimed_files"
    /// A file in the blob store at a path where no file of a post can be.
    case fileMisplaced = "file_misplaced"

    // Records.
    case postUnreadable = "post_unreadable"
    /// A post shows photos of the service, but there is no record of their upload.
    case uploadMissing = "upload_missing"
    case uploadUnreadable = "upload_unreadable"
    /// An upload was published, but its post neither exists nor was deleted.
    case postMissing = "post_missing"
    /// A post has another number of photos than its upload.
    case photosDiffer = "photos_differ"
    /// A post exists both at `posts/` and at `audience_posts/`.
    case postTwice = "post_twice"
    /// The author of a post does not exist.
    case authorMissing = "author_missing"
    case objectUnreadable = "object_unreadable"
    /// There is no record of the owner of an object's bytes, so that they would be treated as unclaimed.
    case objectUnlisted = "object_unlisted"
    /// An upload has not ended, but is not in the queue of the workers.
    case uploadNotQueued = "upload_not_queued"
    /// There are likes of a post that does not exist, and whose deletion is not recorded.
    case likesWithoutPost = "likes_without_post"
    case commentsWithoutPost = "comments_without_post"

    case accountUnreadable = "account_unreadable"
    /// Two accounts have the same e-mail address, telephone number or identity of a provider, so that it leads to only
    /// one of them.
    case accountTwice = "account_twice"

    // Derived data.
    /// The index does not lead from an e-mail address, a telephone number or an identity of a provider to its account.
    case accountUnlisted = "account_unlisted"
    /// The entry of a post in the order of publication is missing or wrong.
    case postUnlisted = "post_unlisted"
    /// An entry of a list names a record that does not exist.
    case entryDangling = "entry_dangling"
    /// A link is recorded on one side only: half a follow, half a block.
    case linkHalf = "link_half"
    case counterWrong = "counter_wrong"
    /// Another index is wrong: search keys of names, lists of comments, copies in stories, or hashes of photos.
    case indexWrong = "index_wrong"

    // The store.
    /// The database has a page or a row that the service cannot have written, or has lost updates.
    case treeDamaged = "tree_damaged"
    /// The change log has a gap: clients that catch up would miss these changes.
    case changesMissing = "changes_missing"
    /// The rules of a tree cannot be read, so that writes are refused until others are stored.
    case rulesUnreadable = "rules_unreadable"
    /// The tree and the blob store are of different ages, or belong to different stores.
    case storesDiffer = "stores_differ"

    // Backups.
    /// A part of a backup is missing or damaged.
    case backupDamaged = "backup_damaged"

    /// The way to resolve the finding.
    package var remedy: FindingRemedy {
        switch self {
        case .renditionMissing, .renditionWrongSize, .renditionDamaged, .renditionForeign, .objectUnlisted,
            .uploadNotQueued, .accountUnlisted, .postUnlisted, .entryDangling, .linkHalf, .counterWrong, .indexWrong,
            .changesMissing:
            .repair
        case .orphanedFile, .unclaimedFiles: .gc
        default: .person
        }
    }

    /// The advice for an operator.
    package var hint: String {
        switch self {
        case .originalMissing, .originalWrongSize, .originalDamaged: "Put the file back from a backup."
        case .objectMissing, .objectWrongSize, .objectDamaged: "Put the file back from a backup, or upload it again."
        case .unclaimedFiles: "Look at them with tintype store unclaimed ls. Delete them with tintype store gc."
        case .orphanedFile: "Delete it with tintype store gc."
        case .fileMisplaced: "Move it away, or delete it: the service did not create it."
        case .postUnreadable: "Correct it in the database, where a client wrote it."
        case .uploadMissing, .postMissing: "Put the tree back from a backup, or delete what is left."
        case .uploadUnreadable, .objectUnreadable, .accountUnreadable: "Put the tree back from a backup."
        case .accountTwice: "Delete one of them, or change its address, with tintype user."
        case .photosDiffer: "Correct the post's photos in the database, where a client changed them."
        case .postTwice: "Delete the one at posts/: readers of the audiences have the other one."
        case .authorMissing: "Create the person, or delete the post: a client of the database wrote it."
        case .likesWithoutPost, .commentsWithoutPost: "Delete them, or put the post back from a backup."
        case .changesMissing:
            "Run tintype store repair: it deletes the changes before these, so that clients that were not further start again."
        case .treeDamaged:
            "Stop the service. Drop or replace the named row with tintype store repair --row PATH, or put tree.sqlite back from a backup."
        case .rulesUnreadable: "Store them again with tintype rules set FILE."
        case .backupDamaged: "Use another backup, or another copy of this one."
        case .storesDiffer: "Put back the half that belongs to the other, or run tintype store unclaimed accept."
        default: "Correct it with tintype store repair."
        }
    }
}

/// The ways to resolve a finding of a store check.
package enum FindingRemedy: String, Codable, CaseIterable, Sendable {
    /// `tintype store repair`: the correct value follows from other data.
    case repair
    /// `tintype store gc`: the file can be deleted.
    case gc
    /// Manual work: the store does not contain the lost data.
    case person
}

/// The actions of a store check.
package enum StoreCheckAction: String, Codable, CaseIterable, Sendable {
    /// Compare records, lists and files by name and size.
    case check
    /// Read files and compare their bytes, too.
    case verify
    /// Repair what follows from other data.
    case repair
    /// Delete files that no record names.
    case gc
}
