/// The nodes of the store itself, and of its maintenance.
package enum StoreNodes {
    package static let store = TreeNode(
        "store", in: .pipeline, .service,
        "the store's id and age: `id`, `counter`, `last_id`; and the nodes `store/…`",
        record: "StoreMark", unaudited: "a start compares it with the blobs")
    /// The version of the order; it is below ``store``, which versions without the order replace as a whole, so that
    /// they delete it.
    package static let postsAreOrdered = TreeNode(
        "store/posts_ordered", in: .pipeline, .service,
        "the version of the order of publication, once all posts are in this order",
        record: "OrderMigration", unaudited: "an upgrade writes it")
    package static let socialVersion = TreeNode(
        "store/social", in: .pipeline, .service,
        "the version of the derivations with which all derived data were last corrected",
        record: "SocialRepair", unaudited: "an upgrade writes it")
    package static let originals = TreeNode(
        "store/originals", in: .pipeline, .service,
        "the time at which the service last began a run over originals, and the run's id",
        record: "OriginalSchedule", unaudited: "a note for the next run")
    package static let audit = TreeNode(
        "audits/{action}", in: .pipeline, .service, "the result of the last store check of a kind",
        record: "StoreCheckResults",
        unaudited: "a record of store checks themselves")
    package static let disconnect = TreeNode(
        "disconnects/{run}/{connection}/{operation}", in: .database, .service,
        "a write that a client has requested for the end of its connection", record: "DisconnectOperation",
        unaudited: "it is deleted once it is done")

    package static let all = [postsAreOrdered, socialVersion, originals, store, audit, disconnect]
}
