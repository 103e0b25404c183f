extension AccountChanges {
    /// Notes that a write may reach the service from now on, and returns it so.
    func begin(_ queued: QueuedWrite) throws -> QueuedWrite {
        guard !queued.isAttempted else { return queued }
        var queued = queued
        queued.isAttempted = true
        try update(queued)
        return queued
    }

    /// Stores the result of an attempt, unless the write was withdrawn meanwhile.
    ///
    /// - Parameter attempt: The result; nil if the write was not tried.
    func end(_ attempt: Attempt?, of write: WriteSender.Resolved) throws {
        guard var queued = try records.write(write.queued.number), queued.isQueued else { return }
        switch attempt {
        case .done(let id, let result, let number): return try finish(queued, id: id, result: result, at: number)
        case .undone: return try remove(queued, isDone: true)
        case .refused(let problem): queued.state = .refused(QueuedWrite.Refusal(problem))
        case .conflict(let theirs): queued.state = .conflict(theirs)
        // A wait that the service has named is no failure.
        case .rest(nil): queued.failureCount += 1
        case .foreign:
            queued.failureCount += 1
            queued.foreignCount += 1
        case nil where write.isFirst: queued.isAttempted = false
        case .rest, .pause, .signIn, nil: return
        }
        try update(queued)
    }
}
