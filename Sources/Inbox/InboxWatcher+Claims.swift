import API
import Concurrency
import Files
import Logging
import Model
import ServiceLifecycle
import Store
import Tree
import Uploads

extension InboxWatcher {
    /// Claims a candidate; nil if it cannot be claimed now, or never, in which case it is put aside.
    func take(_ candidate: Candidate, _ events: InboxEvents) async -> UploadRecord? {
        let file = candidate.place.description(of: candidate.name)
        do {
            return try await importer.take(candidate)
        } catch let refusal as Failure where !refusal.isTransient {
            await reject(RejectedFile(place: candidate.place, name: candidate.name, reason: refusal))
        } catch {
            if await tools.disk.report(error) { return nil }
            if let fault = error as? FileError, fault.code == .permission {
                // Other files of the folder will fail in the same way, unless the fault concerns a subfolder.
                await probe(candidate.place.root, again: true)
                note(fault, in: candidate.place.root)
                return nil
            }
            events.lookAgain(at: candidate.name, in: candidate.place, after: .seconds(1))
            logger.warning(
                "cannot claim a file", metadata: ["file": "\(file.printable)", "fault": "\("\(error)".printable)"])
            // The disk or the engine has a fault, which other files of the inbox would meet as well.
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: Backoff.delay(afterAttempt: 2)) }
        }
        return nil
    }

    /// Processes a claim until its upload has ended, retrying after transient errors; a shutdown leaves it for the next
    /// start.
    ///
    /// It keeps its slot while the intake is paused. An acknowledged claim, or one with repeated errors of its own,
    /// gives its slot to others.
    func finish(_ record: UploadRecord, signalling slots: AsyncSemaphore, _ events: InboxEvents) async {
        var slots = slots
        defer {
            slots.signal()
            if counts.remove(record.owner) { events.wake() }
        }
        var isTakenIn = false
        var attempt = 0
        while !Task.isEnding {
            await tools.disk.gate.waitUntilOpen()
            do {
                isTakenIn = try await cancelWhenGracefulShutdown { try await importer.ingest(record.id) }
                guard isTakenIn else { return tools.store.queue.letOthersPass(record.id) }
                giveAway(&slots)
                return try await cancelWhenGracefulShutdown { try await importer.archive(record.id) }
            } catch {
                if Task.isEnding { return }
                if await tools.disk.report(error) { continue }
                if !isTakenIn { tools.store.queue.letOthersPass(record.id) }
                attempt += 1
                if attempt == 3 { giveAway(&slots) }
                let delay = Backoff.delay(afterAttempt: attempt)
                logger.warning(
                    "a transient error; trying again",
                    metadata: ["upload": "\(record.id)", "fault": "\("\(error)".printable)", "in": "\(delay)"])
                try? await cancelWhenGracefulShutdown { try await Task.sleep(for: delay) }
            }
        }
    }

    /// Gives a claim's slot to others, if there is room among the claims that wait.
    private func giveAway(_ slots: inout AsyncSemaphore) {
        guard slots !== waiting, waiting.tryWait() else { return }
        slots.signal()
        slots = waiting
    }

    func reject(_ rejected: RejectedFile) async {
        let file = rejected.place.description(of: rejected.name)
        logger.notice(
            "refused", metadata: ["file": "\(file.printable)", "reason": "\("\(rejected.reason)".printable)"])
        let storage = tools.storage
        do {
            try await FileThreads.run {
                let place = try rejected.place.open(in: storage.inbox)
                guard let entry = try place.entry(rejected.name) else { return }
                let owner = rejected.place.owner
                let failed = try storage.failedFolder(of: rejected.reason.code, user: owner)
                let mark = "\(entry.device)-\(entry.inode)-\(entry.byteCount)-\(entry.modifiedNanoseconds)"
                let putAway = Archiver(
                    folder: try failed.deepest(below: rejected.place.path), staging: storage.incoming, mark: mark)
                try putAway.put(rejected.name, from: place, kind: "reason") { file in
                    FailureReason(rejected.reason, user: owner, source: rejected.source, file: file, mark: mark).json
                }
            }
        } catch {
            if await !tools.disk.report(error) { note(error as? FileError, in: rejected.place.root) }
        }
    }

    // MARK: - Unusable folders

    /// Tests a folder that has not been tested or was unusable the last time; with `again`, also a usable one.
    func probe(_ root: InboxFolder.Root, again: Bool = false) async {
        guard again || faults.isWorthATry(root) else { return }
        let inbox = tools.storage.inbox
        do {
            try await FileThreads.run { try FolderProbe(in: InboxFolder(root: root).open(in: inbox)).tryMoving() }
            if faults.note(nil, of: .folder(root)) {
                logger.notice("the folder is usable again", metadata: ["folder": "\(root)"])
            }
        } catch {
            guard let fault = error as? FileError else { return }
            report(fault, of: .folder(root))
        }
    }

    /// Reports a fault of a file in a folder, once for many files with the same fault.
    func note(_ fault: FileError?, in root: InboxFolder.Root) {
        if let fault { report(fault, of: .contents(of: root)) }
    }

    private func report(_ fault: FileError, of subject: FolderFaults.Subject) {
        guard fault.code != .notFound, faults.note(fault, of: subject) else { return }
        logger.warning(
            "cannot claim files from a folder",
            metadata: ["folder": "\(subject.root)", "fault": "\(fault.description.printable)"])
    }
}
