import TintypeClient
import TintypeModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes that are followed, and those that wait for the person.
extension LocalStore {
    /// The state of a write: first the present one, then each later one that the reader has time for, up to the last.
    ///
    /// - Parameter id: The id of a submission.
    public func states(of id: WriteID) -> LocalValues<WriteState> { statesOfWrite(id) }

    /// The state of a write; that of one that need not be sent, which has no id, is `WriteState.withdrawn`.
    func statesOfWrite(_ id: WriteID?) -> LocalValues<WriteState> {
        LocalValues(self, isLast: \.isFinal) { [sending] view in
            guard let id else { return .withdrawn }
            view.depend(on: .write(id.rawValue))
            guard let queued = try view.records.anybodysWrite(id.rawValue) else {
                // A write of a later version of the app waits for that version.
                if try view.records.text(.owner(of: id.rawValue)) != nil { return .queued }
                return try view.records.text(.end(of: id.rawValue)) == "withdrawn" ? .withdrawn : .applied
            }
            if queued.isQueued, let progress = sending.progress(of: id.rawValue) {
                return .sending(sentCount: progress.sentCount, count: progress.count)
            }
            return WriteState(queued)
        }
    }

    /// The writes that wait for the person, in the order in which they were made.
    public func parkedWrites() -> LocalValues<[ParkedWrite]> {
        LocalValues(self) { view in
            view.depend(on: .outbox)
            return try view.records.writes().compactMap { ParkedWrite($0) }
        }
    }

    /// The number of writes that are still to be sent, or of which the service has not answered.
    public func unsentCount() -> LocalValues<Int> {
        LocalValues(self) { view in
            view.depend(on: .outbox)
            return try Write.Lane.allCases.reduce(0) { try $0 + view.records.queueCount($1) }
        }
    }

    /// Sends a parked write again. In a conflict, it replaces the other version.
    ///
    /// - Throws: `SessionError`, `RecordStoreError`.
    public func retry(_ id: WriteID) async throws {
        try await edit { changes in
            guard var queued = try changes.records.write(id.rawValue), !queued.isShown else { return }
            if case .conflict(let theirs) = queued.state {
                queued.write = try queued.write.based(on: theirs)
                // An earlier attempt may have arrived: under its key, this one would have no effect.
                (queued.key, queued.isAttempted) = (UUID().uuidString, false)
            }
            queued.queueAgain()
            try changes.update(queued)
        }
    }

    /// Gives up a parked write, and those that need what it would have made.
    ///
    /// - Throws: `SessionError`, `RecordStoreError`.
    public func discard(_ id: WriteID) async throws {
        try await edit { changes in
            guard let queued = try changes.records.write(id.rawValue), !queued.isShown else { return }
            try changes.remove(queued)
        }
    }

    /// Changes the records of the person who is signed in, so that a power cut does not undo it.
    func edit<Result: Sendable>(_ body: @Sendable (AccountChanges) throws -> Result) async throws -> Result {
        let account = try await signedInAccount()
        return try await change(account, .powerCut, body)
    }
}

extension WriteState {
    fileprivate init(_ queued: QueuedWrite) {
        switch queued.state {
        case .queued: self = .queued
        case .sent: self = .sent
        case .refused(let refusal): self = .refused(refusal.problem)
        case .conflict(let theirs): self = Conflict(queued.write, theirs).map(WriteState.conflict) ?? .queued
        }
    }
}

extension ParkedWrite {
    fileprivate init?(_ queued: QueuedWrite) {
        let reason: Reason
        switch queued.state {
        case .queued, .sent: return nil
        case .refused(let refusal): reason = .refused(refusal.problem)
        case .conflict(let theirs):
            guard let conflict = Conflict(queued.write, theirs) else { return nil }
            reason = .conflict(conflict)
        }
        var post = queued.write.neededPost
        if case .post(let kept) = queued.write { post = kept.id }
        self.init(id: WriteID(rawValue: queued.number), post: post, reason: reason)
    }
}

extension Conflict {
    fileprivate init?(_ write: Write, _ theirs: JSONValue) {
        switch write {
        case .editPost(let change):
            guard let post = try? Post(document: theirs) else { return nil }
            self = .post(change.id, mine: change.words.text, theirs: post)
        case .editComment(let change):
            guard let comment = try? Comment(document: theirs) else { return nil }
            self = .comment(change.id, mine: change.text, theirs: comment)
        case .tree(let write): self = .tree(path: write.path, mine: write.values, theirs: theirs)
        default: return nil
        }
    }
}

extension Write {
    /// Returns the write as one that replaces another version.
    fileprivate func based(on theirs: JSONValue) throws -> Write {
        switch self {
        case .editPost(let change):
            return .editPost(
                PostChange(id: change.id, base: PostWords(of: try Post(document: theirs)), words: change.words))
        case .editComment(let change):
            return .editComment(
                CommentChange(
                    id: change.id, post: change.post, base: try Comment(document: theirs).text, text: change.text,
                    mentions: change.mentions))
        case .tree(var write):
            write.base = theirs
            return .tree(write)
        default: return self
        }
    }
}
