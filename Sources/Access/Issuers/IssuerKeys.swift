import Cryptography
import Foundation
import Synchronization
package import TreeModel

/// The public keys of other issuers: available without waiting, and updated in the background.
///
/// Keys from an address are kept as long as the response allows, within bounds, and fetched again before that time is
/// over. When the address is down, the last good keys remain valid. A file is read again when it has changed.
package final class IssuerKeys: Sendable {
    /// The shortest and the longest time for which keys are kept, in seconds.
    static let ageBounds = 60...86_400
    /// The interval between two checks of a file, in seconds.
    private static let fileInterval: Int64 = 10
    /// The shortest interval between two attempts for one issuer, in seconds.
    private static let minInterval: Int64 = 30

    struct Entry: Sendable {
        let settings: IssuerSettings
        var keys: PublicKeySet?
        /// The document that contained the keys.
        var document: [UInt8] = []
        /// The time of the next fetch.
        var due = Timestamp.epoch
        /// The time of the last attempt, whatever its result.
        var lastTry: Timestamp?
        var failureCount = 0
        var fileVersion: [UInt64]?
        var attempt: Task<Void, Never>?
    }

    private let fetcher: KeyFetcher
    /// The current time.
    let now: @Sendable () -> Timestamp
    private let entries: Mutex<[String: Entry]>
    private let changeCount = Atomic<Int>(0)

    /// Starts with the stored keys, and reads those in files.
    ///
    /// - Parameter now: The current time.
    package init(
        _ issuers: [IssuerSettings], fetcher: KeyFetcher,
        now: @escaping @Sendable () -> Timestamp = Timestamp.now
    ) {
        self.fetcher = fetcher
        self.now = now
        var entries: [String: Entry] = [:]
        for issuer in issuers {
            var entry = Entry(settings: issuer)
            if case .file(let path) = issuer.keySource {
                entry.fileVersion = KeyFile.version(path)
                do {
                    entry.document = try KeyFile.read(path, maxBytes: PublicKeySet.maxBytes)
                    entry.keys = try PublicKeySet(document: entry.document)
                } catch {
                    fetcher.warn(issuer.issuer, error.message)
                }
            } else if let document = fetcher.load(issuer.issuer) {
                entry.keys = try? PublicKeySet(document: document)
                entry.document = document
            }
            entries[issuer.issuer] = entry
        }
        self.entries = Mutex(entries)
    }

    /// A number that changes with the keys.
    var keyVersion: Int { changeCount.load(ordering: .acquiring) }

    /// Returns the issuer with this name, and its keys if they have been fetched; nil for an issuer that is not
    /// trusted.
    func issuer(_ name: String) -> (settings: IssuerSettings, keys: PublicKeySet?)? {
        entries.withLock { entries in entries[name].map { ($0.settings, $0.keys) } }
    }

    /// Updates the keys of an issuer after a token has named an unknown key; at most once in 30 seconds, and once for
    /// concurrent callers.
    package func refresh(issuer: String) async {
        let attempt = entries.withLock { entries -> Task<Void, Never>? in
            guard var entry = entries[issuer] else { return nil }
            if let attempt = entry.attempt { return attempt }
            if let last = entry.lastTry, (last...last + .seconds(Self.minInterval)).contains(now()) { return nil }
            let settings = entry.settings
            let attempt = Task { await self.update(settings) }
            entry.lastTry = now()
            entry.attempt = attempt
            entries[issuer] = entry
            return attempt
        }
        await attempt?.value
    }

    /// Updates all keys that are due.
    package func refreshDue() async {
        let due = entries.withLock { entries in entries.values.filter { $0.due <= now() } }
        await withTaskGroup { group in
            for entry in due where hasChanged(entry) {
                group.addTask { await self.refresh(issuer: entry.settings.issuer) }
            }
        }
    }

    /// Keeps the keys up to date until the task is cancelled, which also cancels a fetch in progress.
    package func run() async throws {
        try await withTaskCancellationHandler {
            while true {
                await refreshDue()
                try await Task.sleep(for: .seconds(Self.fileInterval))
            }
        } onCancel: {
            for entry in entries.withLock({ Array($0.values) }) { entry.attempt?.cancel() }
        }
    }

    private func hasChanged(_ entry: Entry) -> Bool {
        guard case .file(let path) = entry.settings.keySource else { return true }
        return entry.fileVersion != KeyFile.version(path)
    }
}

// MARK: - One issuer

extension IssuerKeys {
    private func update(_ settings: IssuerSettings) async {
        var version: [UInt64]?
        if case .file(let path) = settings.keySource { version = KeyFile.version(path) }
        do {
            let document = try await fetcher.document(of: settings)
            let keys = try PublicKeySet(document: document.bytes)
            let isNew = note(keys, document, version, of: settings.issuer)
            if isNew, version == nil { await fetcher.save(settings.issuer, document.bytes) }
        } catch {
            noteFailure(of: settings.issuer)
            guard !Task.isCancelled else { return }
            let problem = (error as? KeyError)?.message ?? "the keys cannot be fetched: \(error)"
            fetcher.warn(settings.issuer, problem)
        }
    }

    /// - Returns: Whether the keys have changed.
    private func note(
        _ keys: PublicKeySet, _ document: FetchedDocument, _ version: [UInt64]?, of issuer: String
    ) -> Bool {
        let age = min(max(document.maxAgeSeconds ?? 3600, Self.ageBounds.lowerBound), Self.ageBounds.upperBound)
        // The next fetch is due after nine tenths of the time, so that the next keys arrive before its end.
        let due = version == nil ? now() + .milliseconds(Int64(age) * 900) : .epoch
        let isNew = entries.withLock { entries in
            guard var entry = entries[issuer] else { return false }
            let isNew = entry.document != document.bytes
            entry.keys = keys
            entry.document = document.bytes
            entry.due = due
            entry.failureCount = 0
            entry.fileVersion = version
            entry.attempt = nil
            entries[issuer] = entry
            return isNew
        }
        if isNew { changeCount.add(1, ordering: .acquiringAndReleasing) }
        return isNew
    }

    /// Leaves the keys unchanged, and schedules the next attempt after a time that doubles, up to an hour.
    private func noteFailure(of issuer: String) {
        entries.withLock { entries in
            entries[issuer]?.failureCount += 1
            let doublings = min(entries[issuer]?.failureCount ?? 0, 7) - 1
            entries[issuer]?.due = now() + .seconds(min(Self.minInterval << Int64(doublings), 3600))
            entries[issuer]?.attempt = nil
        }
    }
}
