import Synchronization

/// The current settings of the pipeline, an object that all its parts share.
package final class SharedSettings: Sendable {
    private let settings: Mutex<PipelineSettings>

    package init(_ settings: PipelineSettings) {
        self.settings = Mutex(settings)
    }

    /// The current settings. A caller that needs several consistent settings reads them once.
    package var value: PipelineSettings { settings.withLock { $0 } }

    /// Replaces all settings.
    package func adopt(_ new: PipelineSettings) {
        settings.withLock { $0 = new }
    }
}
