import DaemonSupport
import Foundation
import Testing
import TintypeClient
import TintypeModel
import TintypeStore

/// A device of one person: a store in a folder of its own, and a client that is signed in.
struct Device {
    let store: LocalStore
    let client: ServiceClient
    let folder: URL
    let records: SQLiteRecordStore

    /// Signs a person in on a new device, and runs a body with it.
    static func run<Result>(
        _ uid: String, of service: ServiceProcess, transport: (any Transport)? = nil,
        clock: any DeviceClock = QuickClock(), uploader: (any BackgroundUploader)? = nil,
        _ body: (Device) async throws -> Result
    ) async throws -> Result {
        try await withFolder { folder in
            try await run(uid, of: service, in: folder, transport: transport, clock: clock, uploader: uploader, body)
        }
    }

    /// Opens the device of a person in a folder, signs the person in unless that was done, and runs a body with it.
    static func run<Result>(
        _ uid: String, of service: ServiceProcess, in folder: URL, transport: (any Transport)? = nil,
        clock: any DeviceClock = QuickClock(), uploader: (any BackgroundUploader)? = nil,
        _ body: (Device) async throws -> Result
    ) async throws -> Result {
        let own = URLSessionTransport()
        let client = ServiceClient(
            service: service.address, keychain: FileKeychain(folder: folder.appendingPathComponent("keys")),
            transport: transport ?? own)
        if try await client.session.state == .signedOut {
            try await client.session.signIn(
                email: "\(uid)@example.org", password: ServiceProcess.password(of: uid))
        }
        let records = try await SQLiteRecordStore(path: folder.appendingPathComponent("store.sqlite").path)
        let store = LocalStore(
            client: client, records: records, folder: folder.appendingPathComponent("photos"), clock: clock,
            uploader: uploader)
        do {
            let result = try await body(Device(store: store, client: client, folder: folder, records: records))
            await records.close()
            own.close()
            return result
        } catch {
            await records.close()
            own.close()
            throw error
        }
    }

    /// Sends and follows while a body runs.
    func online<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        let run = Task { [store] in try await store.run() }
        defer { run.cancel() }
        let result = try await body()
        run.cancel()
        _ = await run.result
        return result
    }

    /// Waits until all writes are sent.
    func untilSent() async throws {
        for try await count in store.unsentCount() where count == 0 { return }
    }
}

/// Returns the first value of a sequence that meets a condition. A test's time limit ends it otherwise.
func first<Value>(
    _ values: LocalValues<Value>, where condition: (Value) -> Bool
) async throws -> Value {
    for try await value in values where condition(value) { return value }
    throw CancellationError()
}
