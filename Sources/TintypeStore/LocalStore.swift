public import TintypeClient
public import TintypeModel

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The data of a person on this device, which are there without a network: what the person reads is kept, and what the
/// person writes is safe before it is sent.
///
/// While `run()` is under way, writes are sent, and the device follows what changes on the service. Everything else works
/// without it.
public final class LocalStore: Sendable {
    /// The requests to the service.
    public let client: ServiceClient
    let records: any RecordStore
    let folder: PhotoFolder
    let uploader: (any BackgroundUploader)?
    let clock: any DeviceClock
    let reachability: any Reachability
    let hub = ChangeHub()
    let sending = SendingState()
    let link = Link()
    let isRunning = Guarded(false)
    /// The refusals of the service to let the person read what open views show.
    let refusals = Guarded<[Subject: Problem]>([:])
    private let lastWindow = Guarded(0)
    /// The people whose data were removed: what was requested before for them is not kept.
    private let removedPeople = Guarded<Set<Person.ID>>([])

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - client: The requests to the service.
    ///   - records: The place for records.
    ///   - folder: The folder for photos that must be sent; it is created when it is needed. On the disk of the
    ///     camera's files, photos are linked instead of copied.
    ///   - clock: The clock of the device.
    ///   - reachability: Whether the device has a network.
    ///   - uploader: The system's way to send photos while the app is suspended, or after it has ended; nil for none.
    public init(
        client: ServiceClient, records: any RecordStore, folder: URL, clock: any DeviceClock = SystemClock(),
        reachability: any Reachability = UnknownReachability(), uploader: (any BackgroundUploader)? = nil
    ) {
        (self.client, self.records, self.folder) = (client, records, PhotoFolder(url: folder))
        (self.clock, self.reachability, self.uploader) = (clock, reachability, uploader)
    }

    // MARK: States of the store

    /// Reads one state of the records of the person who is signed in, or was until the session expired.
    func view<Result: Sendable>(_ body: @Sendable (LocalView) throws -> Result) async throws -> Result {
        let account = try await accountID() ?? Person.ID("")
        let (folder, refusals) = (folder, refusals.withLock(\.self))
        return try await records.read { reader in
            let records = AccountRecords(account, in: reader)
            let me = try records.entity(.person(account), as: Person.self)?.value
            let author = Author(id: account, name: me?.name, picture: me?.picture)
            return try body(
                LocalView(records, PostOverlay(records: records, me: author, folder: folder), refusals))
        }
    }

    /// Changes the records of a person in one transaction, and reports it to the views.
    ///
    /// - Throws: `RecordStoreError`; `SessionError.signedOut` if the person's data were removed, and the person has not come back.
    func change<Result: Sendable>(
        _ account: Person.ID, _ durability: Durability, _ body: @Sendable (AccountChanges) throws -> Result
    ) async throws -> Result {
        let (result, subjects, files) = try await records.write(durability) { writer in
            if self.removedPeople.withLock({ $0.contains(account) }) { throw SessionError.signedOut }
            let changes = AccountChanges(account, in: writer)
            let result = try body(changes)
            return (result, changes.subjects, changes.unneededFiles)
        }
        await remove(files)
        hub.report(subjects)
        return result
    }

    /// Deletes the files of photos that no post needs, and ends their uploads.
    private func remove(_ names: [String]) async {
        for name in names {
            // Without the file, no upload of it can begin any more.
            folder.remove(name)
            await uploader?.end(uploadNamed: name)
        }
    }

    /// Returns the person who is signed in, for whom it keeps what is requested from now on.
    ///
    /// - Throws: `SessionError`.
    func signedInAccount() async throws -> Person.ID {
        guard let account = try await accountID() else { throw SessionError.signedOut }
        welcome(account)
        return account
    }

    /// Keeps what is requested for a person from now on.
    func welcome(_ account: Person.ID) { _ = removedPeople.withLock { $0.remove(account) } }

    /// Deletes everything that the device keeps of a person, also what is still to be sent, such as after the person has
    /// signed out of a device that others use.
    ///
    /// - Throws: `RecordStoreError`; then nothing is deleted.
    public func removeData(of person: Person.ID) async throws {
        let (subjects, files) = try await records.write(.powerCut) { writer in
            let changes = AccountChanges(person, in: writer)
            try changes.removeAll()
            // Within the transaction: what was requested before and arrives later is not kept.
            _ = self.removedPeople.withLock { $0.insert(person) }
            return (changes.subjects, changes.unneededFiles)
        }
        await remove(files)
        hub.report(subjects)
    }

    /// The person whose data are shown; nil if nobody is signed in.
    func accountID() async throws -> Person.ID? {
        switch try await client.session.state {
        case .signedIn(let account), .expired(let account): account.id
        case .signedOut: nil
        }
    }

    /// Returns a subject for a window on a list.
    func nextWindow() -> Subject {
        .window(
            lastWindow.withLock { last in
                last += 1
                return last
            })
    }
}
