import Files
import Server
import Uploads

extension Site {
    /// Reads the settings that name the service, and renders its icon.
    ///
    /// - Parameter renderer: The renderer of photos, which blocks the thread.
    /// - Throws: `ConfigurationError`, also for a file that is not a picture.
    init(_ configuration: Configuration, renderer: any PhotoRenderer) throws {
        self = try configuration.settings(Site())
        let path = try configuration.value(\.iconFile)
        guard !path.isEmpty else { return }
        let limits = try configuration.imageLimits()
        do {
            icon = try SiteIcon(try FileReader(path: path), by: renderer, limits: limits)
        } catch let error as FileError {
            throw ConfigurationError("icon: \(error)")
        } catch {
            throw ConfigurationError("icon: \(path): \(error)")
        }
    }
}
