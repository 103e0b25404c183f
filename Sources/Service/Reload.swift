package import API
package import Accounts
import Logging
package import Server
import ServiceLifecycle
import UnixSignals
package import Uploads

/// The settings that can change while the service runs.
package struct LiveSettings: Sendable {
    package let pipeline: PipelineSettings
    package let site: Site
    package let signUp: SignUpMethods

    package init(pipeline: PipelineSettings, site: Site, signUp: SignUpMethods) {
        self.pipeline = pipeline
        self.site = site
        self.signUp = signUp
    }
}

/// A source of the operator's settings that can be read again while the service runs.
package protocol SettingsSource: Sendable {
    /// Reads the settings again, all of them or none.
    ///
    /// - Parameters:
    ///   - isDryRun: Whether to compare only.
    ///   - running: The settings that are in use.
    ///   - adopt: Puts the settings into effect that can change while the service runs, before another reading begins. It is
    ///     not called to compare only.
    /// - Returns: The changes.
    /// - Throws: `Failure` with the code `bad_configuration` if a setting is invalid.
    func read(
        isDryRun: Bool, running: PipelineSettings, adopt: @Sendable (LiveSettings) -> Void
    ) async throws -> [SettingsChange]
}

/// Applies the settings of a source to the running service.
struct Reload: Sendable {
    let source: any SettingsSource
    let pipeline: Pipeline
    let site: CurrentSite
    let accounts: IdentityService

    /// Reads the settings again, and applies those that can change while the service runs.
    ///
    /// - Parameter isDryRun: Whether to change nothing and only compare.
    /// - Throws: `Failure` with the code `bad_configuration` if a setting is invalid; nothing has changed then.
    func callAsFunction(isDryRun: Bool) async throws -> [SettingsChange] {
        try await source.read(isDryRun: isDryRun, running: pipeline.settings) { settings in
            pipeline.adopt(settings.pipeline)
            site.adopt(settings.site)
            accounts.adopt(settings.signUp)
        }
    }
}

/// A service that reloads the settings at each SIGHUP, which never ends the process, and opens the access log again.
struct HangupListener: ServiceLifecycle.Service, CustomStringConvertible {
    let description = "SIGHUP"
    let reload: Reload
    /// The access log, which a program such as logrotate may have renamed; nil for none.
    let accessLog: AccessLog?
    /// The service manager, which is notified when a reload begins and ends; nil for none.
    let manager: ServiceManager?
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await _ in await UnixSignalsSequence(trapping: .sighup) {
                accessLog?.reopen()
                manager?.tell(.reloading)
                defer { manager?.tell(.ready(ManagerReport.status)) }
                do {
                    _ = try await reload(isDryRun: false)
                } catch {
                    logger.error("the settings are unchanged", metadata: ["fault": "\(error)"])
                }
            }
        }
    }
}
