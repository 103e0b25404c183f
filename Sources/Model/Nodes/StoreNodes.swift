/// The nodes of the store itself, and of its upkeep.
package enum StoreNodes {
    package static let store = TreeNode(
        "store", in: .pipeline, .service,
        "the store's id, and how old it is: `id`, `counter`, `last_id`; and what follows here",
        record: "StoreMark", unaudited: "a start compares it with the blobs")
    /// Versions that do not keep the order replace ``store`` as a whole, and so take this along.
    package static let postsAreOrdered = TreeNode(
        "store/posts_ordered", in: .pipeline, .service, "the version of the order of publication that all posts are in",
        record: "OrderMigration", unaudited: "an upgrade writes it")
    package static let socialVersion = TreeNode(
        "store/social", in: .pipeline, .service, "by which version of the derivations all data have been gone through",
        record: "SocialRepair", unaudited: "an upgrade writes it")
    package static let originals = TreeNode(
        "store/originals", in: .pipeline, .service,
        "when the job over originals began by itself the last time, and which it was",
        record: "OriginalSchedule", unaudited: "a note for the next time")
    package static let audit = TreeNode(
        "audits/{action}", in: .pipeline, .service, "what the last audit of a kind came to",
        record: "StoreCheckResults",
        unaudited: "a note of audits themselves")
    package static let disconnect = TreeNode(
        "disconnects/{run}/{connection}/{operation}", in: .database, .service,
        "a write that a client has left for the end of its connection", record: "DisconnectOperation",
        unaudited: "it is done, and gone")

    package static let all = [postsAreOrdered, socialVersion, originals, store, audit, disconnect]
}
