package import Logging
package import Model
package import Store
package import Tree

extension StorageFolder {
    /// Opens a Storage folder for the service: with its derivations and constraints, and with posts of earlier versions
    /// in the order of publication.
    ///
    /// - Parameters:
    ///   - blobs: The store of the files of posts; nil for the folder `blobs/`.
    ///   - retention: The time for which changes are kept in the change log.
    ///   - publicBase: The address of the service for apps; nil for addresses without a host.
    ///   - clock: Returns the present time.
    /// - Throws: The errors of
    ///   ``StorageFolder/init(path:engine:blobs:retention:publicBase:derivations:constraints:clock:)``.
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
        try? await storage.age.tick()  // The disk monitor finds and reports a full disk.
        await DataUpgrade(storage, logger: logger).begin()
        return storage
    }
}
