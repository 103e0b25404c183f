import API
import Foundation
import Inbox
import Keeping
import Logging
import Service
import Store
import Uploads

extension Configuration {
    /// Runs a body with the pipeline of the Storage folder, while no service may work on that folder.
    ///
    /// - Parameter renderer: The renderer of photos, for a body that needs one.
    /// - Throws: `ConfigurationError` when the folder does not exist, and the errors of the body.
    func withPipeline<R>(
        renderer: any PhotoRenderer = InProcessRenderer(), body: (Pipeline) async throws -> R
    ) async throws -> R {
        let path = try value(\.storage)
        guard ["tree.sqlite", "tree.mark"].contains(where: { FileManager.default.fileExists(atPath: "\(path)/\($0)") })
        else {
            throw ConfigurationError(
                "there is no storage at \(path); name its folder with --storage, or its settings with --config")
        }
        let settings = try pipelineSettings()
        let storage = try await StorageFolder.open(path: path, publicBase: try publicBase())
        do {
            let logger = Logger(label: "tintype")
            let result = try await body(
                Pipeline(storage: storage, settings: settings, renderer: renderer, logger: logger))
            await storage.close()
            return result
        } catch {
            await storage.close()
            throw error
        }
    }
}

extension StorageOptions {
    /// Performs an action through the running service or, when none runs, with the pipeline of the Storage folder.
    ///
    /// - Throws: `ConfigurationError` when there is neither, and the errors of the action.
    func perform<R>(
        _ request: (APIClient) async throws -> R, locally: (Pipeline) async throws -> R
    ) async throws -> R {
        do {
            return try await request(APIClient(self))
        } catch let error as Failure where [.noService, .badSocketPath].contains(error.code) {
            // A service cannot listen in a folder whose path is too long.
            return try await configuration().withPipeline(body: locally)
        }
    }
}
