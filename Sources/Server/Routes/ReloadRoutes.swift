package import API
import Hummingbird

/// Reads the operator's settings again, and works by them from then on, unless it is told to change nothing; what is
/// other than before.
package typealias SettingsReload = @Sendable (_ isDryRun: Bool) async throws -> [SettingsChange]

/// `/v1/reload`: reads the settings again.
struct ReloadRoutes: Sendable {
    let reload: SettingsReload

    func add(to router: Router<RequestContext>) {
        router.resource("v1/reload", [.post: run])
    }

    @Sendable private func run(_ request: Request, _ context: RequestContext) async throws -> Response {
        try context.requireTrust(for: "reloading the settings")
        let changes = try await reload(try FormFields(queryOf: request.uri, names: ["dry_run"]).flag("dry_run"))
        return .json(ReloadDocument(settings: changes))
    }
}
