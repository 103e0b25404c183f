package import Logging
package import Model
package import Store
package import Tree

extension StorageFolder {
    /// Opens a Storage folder for the service: with its derivations and constraints, and with posts of earlier versions in the
    /// order of publication.
    ///
    /// - Parameters:
    ///   - blobs: Where the files of posts are; nil for the folder `blobs/`.
    ///   - retention: How long changes can be asked for.
    ///   - publicBase: The address by which apps know the service; nil for addresses without a host.
    ///   - clock: The present time.
    /// - Throws: What ``StorageFolder/init(path:engine:blobs:retention:publicBase:derivations:constraints:clock:)`` does.
    package static func open(
        path: String, engine: TreeEngine = .sqlite, blobs: (any BlobStore)? = nil,
        retention: ChangeRetention = ChangeRetention(), publicBase: PublicBase? = nil,
        clock: @escaping @Sendable () -> Timestamp = WallClock.now, logger: Logger = Logger(label: "tintype")
    ) async throws -> StorageFolder {
        let storage = try await StorageFolder(
            path: path, engine: engine, blobs: blobs, retention: retention, publicBase: publicBase,
            derivations: TreeInvariants.derivations(publicBase: publicBase), constraints: TreeInvariants.constraints,
            clock: clock)
        do {
            if storage.age.mismatch != nil { try await storage.forgetUnfinished() }
        } catch let error as TreeError where error.isDamage {
            logger.error("unfinished uploads cannot be ended", metadata: ["damage": "\(error)"])
        } catch {
            await storage.close()
            throw error
        }
        try? await storage.age.tick()  // A disk that is full is for the watch to find, and to say.
        await DataUpgrade(storage, logger: logger).begin()
        return storage
    }
}
