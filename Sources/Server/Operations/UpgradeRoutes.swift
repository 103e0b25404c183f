import API
import Hummingbird
package import Requests
package import Store
import Transport
import Uploads

/// `/v1/upgrade` reports whether the store was upgraded from an earlier version, and confirms the upgrade.
package struct UpgradeRoutes: Sendable {
    private let storage: StorageFolder

    package init(_ storage: StorageFolder) { self.storage = storage }

    package func add(to routes: inout RouteTable) {
        let look = Endpoint.admin(
            for: "the store's format",
            "getUpgrade", in: .operations, "Get whether the store was upgraded from an earlier version",
            answers: [.json(UpgradeDocument.self)]
        ) { [storage] _, context in
            return .json(storage.upgrade)
        }
        let confirm = Endpoint.admin(
            for: "the store's format",
            "confirmUpgrade", in: .operations, "Confirm the upgrade of the store, for good",
            answers: [.json(UpgradeDocument.self)], errors: [.wrongState]
        ) { [storage] _, context in
            try storage.confirmUpgrade()
            return .json(storage.upgrade)
        }
        routes.add("/v1/upgrade", [.get: look])
        routes.add("/v1/upgrade/confirm", [.post: confirm])
    }
}
