import API
import Foundation
import Inbox
import Keeping
import Logging
import Service
import Store
import Uploads

extension Configuration {
    /// Runs a body with the pipeline of the Storage folder, on which no service may work meanwhile.
    ///
    /// - Parameter renderer: What renders photos, for a body that has any rendered.
    /// - Throws: `ConfigurationError` when there is no such folder, and what the body throws.
    func withPipeline<R>(
        renderer: any PhotoRenderer = InProcessRenderer(), body: (Pipeline) async throws -> R
    ) async throws -> R {
        let path = try value(\.storage)
        guard ["tree.sqlite", "tree.mark"].contains(where: { FileManager.default.fileExists(atPath: "\(path)/\($0)") })
        else {
            throw ConfigurationError("there is no storage at \(path); name its folder with --storage")
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
    /// Does something through the running service, or, where none runs, with the pipeline of the Storage folder.
    ///
    /// - Throws: `ConfigurationError` when there is neither, and what is thrown meanwhile.
    func perform<R>(
        _ request: (APIClient) async throws -> R, locally: (Pipeline) async throws -> R
    ) async throws -> R {
        do {
            return try await request(APIClient(self))
        } catch let error as Failure where error.code == .noService {
            return try await configuration().withPipeline(body: locally)
        }
    }
}
