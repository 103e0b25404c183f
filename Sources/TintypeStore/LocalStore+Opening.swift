public import TintypeClient

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension LocalStore {
    /// Opens the store in a folder, which is created if it does not exist: the file `store.sqlite` and the folder `photos`.
    ///
    /// - Throws: `RecordStoreError`; then the folder stays as it is. An error of the system if it cannot be created.
    public static func open(
        in folder: URL, client: ServiceClient, clock: any DeviceClock = SystemClock(),
        reachability: any Reachability = UnknownReachability()
    ) async throws -> LocalStore {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return LocalStore(
            client: client,
            records: try await SQLiteRecordStore(path: folder.appendingPathComponent("store.sqlite").path),
            folder: folder.appendingPathComponent("photos"), clock: clock, reachability: reachability)
    }

    /// Ends the use of the store; all later calls throw. Cancel `run()` before.
    public func close() async { await records.close() }
}
