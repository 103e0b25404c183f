public import TintypeClient
public import TintypeModel

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

    /// Deletes everything that the device keeps of a person, also what is still to be sent, such as after the person has
    /// signed out of a device that others use.
    ///
    /// - Throws: `RecordStoreError`; then nothing is deleted.
    public func removeData(of person: Person.ID) async throws {
        try await change(person, .powerCut) { changes in
            for queued in try changes.records.writes() { try changes.remove(queued) }
            for table in AccountRecords.Table.all {
                for record in try changes.records.records(table, prefix: "") {
                    try changes.set(nil as String?, table, record.key)
                }
            }
            changes.touch(.account)
        }
    }
}
