/// What an audit of the store finds.
package enum FindingKind: String, Codable, CaseIterable, Sendable {
    // Files.
    /// An original is not there.
    case originalMissing = "original_missing"
    /// An original is longer or shorter than what was sent.
    case originalWrongSize = "original_wrong_size"
    /// An original has other bytes than were stored.
    case originalDamaged = "original_damaged"
    /// A rendition that is shown is not there.
    case renditionMissing = "rendition_missing"
    case renditionWrongSize = "rendition_wrong_size"
    case renditionDamaged = "rendition_damaged"
    /// A post names a file of another upload as its rendition.
    case renditionForeign = "rendition_foreign"
    /// The bytes of an object of the bucket are not there.
    case objectMissing = "object_missing"
    case objectWrongSize = "object_wrong_size"
    case objectDamaged = "object_damaged"
    /// A file in the folder of a post that nothing names.
    case orphanedFile = "orphaned_file"
    /// The files of a post that the tree does not know, and whose deletion it does not know either.
    case unclaimedFiles = "unclaimed_files"
    /// Something lies in the blob store where no file of a post can be.
    case fileMisplaced = "file_misplaced"

    // Records.
    case postUnreadable = "post_unreadable"
    /// A post shows photos of ours, and there is no record of an upload behind it.
    case uploadMissing = "upload_missing"
    case uploadUnreadable = "upload_unreadable"
    /// An upload was published, and its post is neither there nor deleted.
    case postMissing = "post_missing"
    /// A post has another number of photos than its upload.
    case photosDiffer = "photos_differ"
    /// A post stands among those for everybody and among those for audiences.
    case postTwice = "post_twice"
    /// Nobody of the people is the author of a post.
    case authorMissing = "author_missing"
    case objectUnreadable = "object_unreadable"
    /// Nothing says whose the bytes of an object are: they would be taken for unclaimed.
    case objectUnlisted = "object_unlisted"
    /// An upload has not ended, and no worker will find it.
    case uploadNotQueued = "upload_not_queued"
    /// There are likes of a post that is not there, and was not deleted as far as the store knows.
    case likesWithoutPost = "likes_without_post"
    case commentsWithoutPost = "comments_without_post"

    case accountUnreadable = "account_unreadable"
    /// Two accounts have one address, number or identity elsewhere: by it only one of them is found.
    case accountTwice = "account_twice"

    // What follows from records.
    /// An account is not found by its address, number or identity elsewhere.
    case accountUnlisted = "account_unlisted"
    /// A post is not in the order of publication as it should be.
    case postUnlisted = "post_unlisted"
    /// An entry of a list names what is not there.
    case entryDangling = "entry_dangling"
    /// Of two places that say the same from both sides, one does not: half a follow, half a block.
    case linkHalf = "link_half"
    case counterWrong = "counter_wrong"
    /// Another index beside the data is wrong: forms of names, lists of comments, copies in stories, or hashes of photos.
    case indexWrong = "index_wrong"

    // The store.
    /// The database has a page or a row that nobody can have written, or has lost updates.
    case treeDamaged = "tree_damaged"
    /// Changes are missing in the change log, between others: clients that catch up never hear of them.
    case changesMissing = "changes_missing"
    /// The rules of a tree cannot be read: nothing can be written there until others are stored.
    case rulesUnreadable = "rules_unreadable"
    /// Tree and files are of different ages, or of different stores.
    case storesDiffer = "stores_differ"

    // Backups.
    /// A part of a backup is missing, or is not what was written.
    case backupDamaged = "backup_damaged"

    /// What mends it.
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

    /// What a person can do about it.
    package var hint: String {
        switch self {
        case .originalMissing, .originalWrongSize, .originalDamaged: "put the file back from a backup"
        case .objectMissing, .objectWrongSize, .objectDamaged: "put the file back from a backup, or upload it again"
        case .unclaimedFiles: "look at them with tintype unclaimed ls; tintype gc deletes them"
        case .orphanedFile: "tintype gc deletes it"
        case .fileMisplaced: "the service did not make it: move it away, or delete it"
        case .postUnreadable: "a client of the database wrote it; mend it there"
        case .uploadMissing, .postMissing: "put the tree back from a backup, or delete what is left"
        case .uploadUnreadable, .objectUnreadable, .accountUnreadable: "put the tree back from a backup"
        case .accountTwice: "delete one of them, or change its address: tintype user"
        case .photosDiffer: "a client of the database changed the post's photos; mend them there"
        case .postTwice: "delete the one at posts/: readers of the audiences have the other one"
        case .authorMissing: "a client of the database wrote it; make the person, or delete the post"
        case .likesWithoutPost, .commentsWithoutPost: "delete them, or put the post back from a backup"
        case .changesMissing:
            "tintype repair forgets the changes before these, so that clients that were not further begin anew"
        case .treeDamaged:
            "stop the service; drop or replace the row that is named: tintype repair --row PATH; or put tree.sqlite back from a backup"
        case .rulesUnreadable: "store them again: tintype rules set FILE"
        case .backupDamaged: "take another backup, or another copy of this one"
        case .storesDiffer: "put back the half that belongs to the other, or: tintype unclaimed accept"
        default: "tintype repair mends it"
        }
    }
}

/// What mends what an audit has found.
package enum FindingRemedy: String, Codable, CaseIterable, Sendable {
    /// `tintype repair`: it follows from what is there.
    case repair
    /// `tintype gc`: it is to be deleted.
    case gc
    /// A person: what is lost is not in the store.
    case person
}

/// What an audit is to do.
package enum StoreCheckAction: String, Codable, CaseIterable, Sendable {
    /// Compare records, lists and files by name and size.
    case check
    /// Read files and compare their bytes, too.
    case verify
    /// Mend what follows from what is there.
    case repair
    /// Delete files that nothing names.
    case gc
}
