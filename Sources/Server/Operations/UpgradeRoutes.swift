import API
import Hummingbird
import Store
import Uploads

/// `/v1/upgrade` tells whether the store was brought forward from an earlier version, and takes the word that all is well.
struct UpgradeRoutes: Sendable {
    private let storage: StorageFolder

    init(_ storage: StorageFolder) { self.storage = storage }

    func add(to routes: inout RouteTable) {
        let look = Operation(
            "Whether the store was brought forward from an earlier version; through the Unix socket.",
            answers: [.json(UpgradeDocument.self)], errors: [.adminOnly]
        ) { [storage] _, context in
            try context.requireAdmin(for: "the store's format")
            return .json(storage.upgrade)
        }
        let confirm = Operation(
            "Takes the store as it was brought forward, for good; through the Unix socket.",
            answers: [.json(UpgradeDocument.self)], errors: [.adminOnly, .wrongState]
        ) { [storage] _, context in
            try context.requireAdmin(for: "the store's format")
            try storage.confirmUpgrade()
            return .json(storage.upgrade)
        }
        routes.add("/v1/upgrade", [.get: look])
        routes.add("/v1/upgrade/confirm", [.post: confirm])
    }
}
