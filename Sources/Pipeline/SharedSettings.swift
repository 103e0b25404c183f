import Imaging
import Synchronization

/// The settings by which the pipeline's parts work at present; all of them hold this one object.
final class SharedSettings: Sendable {
    private let settings: Mutex<PipelineSettings>

    init(_ settings: PipelineSettings) {
        self.settings = Mutex(settings)
    }

    /// The present settings. Whoever needs several of them to go together reads them once.
    var value: PipelineSettings { settings.withLock { $0 } }

    /// Takes over those of other settings that may change while the service runs.
    func adopt(_ new: PipelineSettings) {
        settings.withLock { $0 = $0.adopting(new) }
    }
}

extension PipelineSettings {
    fileprivate func adopting(_ new: PipelineSettings) -> PipelineSettings {
        var settings = self
        settings.recipes = new.recipes
        settings.limits.acceptsTruncated = new.limits.acceptsTruncated
        settings.createsPeople = new.createsPeople
        settings.draftLifetime = new.draftLifetime
        settings.gracePeriod = new.gracePeriod
        settings.retention = new.retention
        settings.duplicates = new.duplicates
        settings.freeSpaceReserve = new.freeSpaceReserve
        return settings
    }
}
