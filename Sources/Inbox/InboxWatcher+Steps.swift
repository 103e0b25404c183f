import Files
import Keeping
import Store
import Uploads

extension InboxWatcher {
    /// The result of a step.
    enum Step {
        /// Files were claimed for an upload that must be finished.
        case claimed(UploadRecord)
        /// A name was looked at, and there may be more.
        case looked
        /// There is nothing to look at.
        case idle
    }

    /// A finding of a look or a walk, and its folder.
    private typealias Found = (finding: FileInspector.Finding, place: InboxFolder)

    /// Makes one step in the root whose turn it is.
    func step(_ schedule: inout FairSchedule, _ events: InboxEvents) async -> Step {
        guard let (root, turn) = schedule.next(unless: counts.isFull) else { return .idle }
        // (Only misplaced files are moved out of the inbox itself.)
        if root != .inbox, faults.isBroken(root) {
            await probe(root)
            if faults.isBroken(root) {
                schedule.giveUp(root)
                return .looked
            }
        }
        do {
            let found =
                switch turn {
                case .look(let name): try await look(at: name)
                case .walk(let walk): try await goOn(with: walk, of: root, &schedule, events)
                }
            guard let found else { return .looked }
            return await deal(with: found, &schedule, events)
        } catch {
            // An unreadable file is not a fault of the disk, and other files are still looked at.
            let fault = error as? FileError
            let isOfTheDisk = fault?.code == .permission ? false : await tools.disk.report(error)
            if !isOfTheDisk { note(fault, in: root) }
            return .looked
        }
    }

    private func look(at name: InboxEvents.Name) async throws -> Found? {
        let (inbox, maxPhotos) = (tools.storage.inbox, tools.settings.maxPhotos)
        let stability = FileStability(quietTime: settings.quietTime, now: tools.storage.clock())
        return try await FileThreads.run {
            guard let folder = try? name.folder.open(in: inbox) else { return nil }
            let inspector = FileInspector(
                folder: folder, place: name.folder, stability: stability, maxPhotos: maxPhotos)
            return (try inspector.look(at: RawName(name.text), hint: name.kind), name.folder)
        }
    }

    private func goOn(
        with walk: InboxWalk, of root: InboxFolder.Root, _ schedule: inout FairSchedule, _ events: InboxEvents
    ) async throws -> Found? {
        let begin = ContinuousClock.now
        let (inbox, maxPhotos) = (tools.storage.inbox, tools.settings.maxPhotos)
        let stability = FileStability(quietTime: settings.quietTime, now: tools.storage.clock())
        let (result, walk) = await FileThreads.run {
            var walk = walk
            let result = Result { () throws(FileError) in
                try walk.next(in: inbox, events: events, stability: stability, maxPhotos: maxPhotos)
            }
            return (result, walk)
        }
        let isOver = if case .success(nil) = result { true } else { false }
        schedule.went(isOver ? nil : walk, of: root, in: .now - begin)
        if isOver { await probe(root) }
        return try result.get()
    }

    private func deal(
        with found: Found, _ schedule: inout FairSchedule, _ events: InboxEvents
    ) async -> Step {
        switch found.finding {
        case .candidate(let candidate):
            return await take(candidate, events).map { .claimed($0) } ?? .looked
        case .late(let candidate):
            return await takeLate(candidate, events).map { .claimed($0) } ?? .looked
        case .rejected(let file):
            await reject(file)
        case .folder(let place):
            schedule.walk(through: place.root)
        case .unfinished(let name, let time):
            if let time { events.lookAgain(at: name, in: found.place, after: .nanoseconds(time)) }
        case .nothing:
            break
        }
        return .looked
    }
}
