import Synchronization

/// The settings by which the pipeline's parts work at present; all of them hold this one object.
package final class SharedSettings: Sendable {
    private let settings: Mutex<PipelineSettings>

    package init(_ settings: PipelineSettings) {
        self.settings = Mutex(settings)
    }

    /// The present settings. Whoever needs several of them to go together reads them once.
    package var value: PipelineSettings { settings.withLock { $0 } }

    /// Replaces all settings.
    package func adopt(_ new: PipelineSettings) {
        settings.withLock { $0 = new }
    }
}
