package import API
import Hummingbird
package import Requests
import Transport

/// Reads the operator's settings again and, unless it is a dry run, applies them. Returns the settings that differ.
package typealias SettingsReload = @Sendable (_ isDryRun: Bool) async throws -> [SettingsChange]

/// `/v1/reload`: reads the settings again.
package struct ReloadRoutes: Sendable {
    let reload: SettingsReload

    package init(reload: @escaping SettingsReload) {
        self.reload = reload
    }

    package func add(to routes: inout RouteTable) {
        let reload = Endpoint.admin(
            for: "reloading the settings",
            "reloadSettings", in: .operations, "Read the settings again",
            [.query("dry_run", .flag, "whether only to compare")], answers: [.json(ReloadDocument.self)],
            errors: [.badConfiguration], run: run)
        routes.add("/v1/reload", [.post: reload])
    }

    @Sendable private func run(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let changes = try await reload(try context.query.flag("dry_run"))
        return .json(ReloadDocument(settings: changes))
    }
}
