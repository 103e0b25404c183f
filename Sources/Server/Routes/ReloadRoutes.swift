import Hummingbird
import Tree

/// A setting that the operator chose otherwise than the service runs by.
package struct SettingsChange: Sendable {
    /// What becomes of it.
    package enum Effect: Sendable, Hashable {
        /// It holds from now on.
        case applied
        /// It holds from the next start on.
        case needsRestart
        /// It never holds: something stronger says otherwise, such as a flag that the service was started with.
        case overridden(by: String)
    }

    package let name: String
    /// By what the service ran until now.
    package let running: String
    /// What was chosen.
    package let chosen: String
    package let effect: Effect

    package init(name: String, running: String, chosen: String, effect: Effect) {
        self.name = name
        self.running = running
        self.chosen = chosen
        self.effect = effect
    }

    var document: TreeValue {
        var fields: [TreeKey: TreeValue] = [
            "name": .string(name), "running": .string(running), "chosen": .string(chosen),
        ]
        switch effect {
        case .applied: fields["effect"] = "applied"
        case .needsRestart: fields["effect"] = "needs_restart"
        case .overridden(let by):
            fields["effect"] = "overridden"
            fields["by"] = .string(by)
        }
        return .object(fields)
    }
}

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
        var bytes = Array("{\"settings\":[".utf8)
        bytes += changes.map { $0.document.json() }.joined(separator: ",".utf8)
        return .json(bytes: bytes + "]}".utf8)
    }
}
