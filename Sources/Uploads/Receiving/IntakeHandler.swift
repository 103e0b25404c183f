package import API
package import Model

/// The part that an intake has in the life of its uploads. The pipeline asks this, and never which intake it is.
package protocol IntakeHandler: Sendable {
    /// The treatment of an upload whose user has posted the same photos before, unless its sender has chosen one.
    func duplicatePolicy(for user: UserID) -> DuplicatePolicy

    /// Whether uploads of one user are published in the order in which they began.
    var keepsOrder: Bool { get }

    /// Whether an upload that became a post leaves something that ``cleanUp(after:)`` has to deal with.
    var cleansUpAfterPublication: Bool { get }

    /// Cleans up after an upload that has ended. Cleaning up again is harmless: a crash in the middle is made good at the
    /// next start.
    ///
    /// - Returns: Whether nothing is left to do; false when the intake goes on by itself and tells the store when it is done
    ///   (``UploadStore/finishCleanUp(_:)``).
    func cleanUp(after record: UploadRecord) async throws -> Bool

    /// Whether files of the sender wait for this reservation, so that it must not expire, however old it is.
    func holdsFiles(of id: PostID) async throws -> Bool

    /// Deletes what the intake keeps of an upload whose post was deleted.
    func forgetPost(of record: UploadRecord) async throws

    /// Puts in order what crashes and faults have left; called about once a minute, but not while nothing may be swept.
    func sweep() async throws

    /// Deletes what has been kept for its time; called about once an hour, but not while nothing may be swept.
    func sweepArchives() async throws

    /// The number of files that wait to be taken; nil when the intake has no such files, or cannot tell.
    func backlog() async -> Int?
}

extension IntakeHandler {
    package var keepsOrder: Bool { false }
    package var cleansUpAfterPublication: Bool { false }
    package func holdsFiles(of id: PostID) async throws -> Bool { false }
    package func forgetPost(of record: UploadRecord) async throws {}
    package func sweep() async throws {}
    package func sweepArchives() async throws {}
    package func backlog() async -> Int? { nil }
}

/// The handlers of all intakes, and what they have put aside.
package struct IntakeHandlers: Sendable {
    /// The handler of uploads that come by the inbox.
    package let inbox: any IntakeHandler
    /// The handler of uploads that come by the socket, and over TCP.
    package let socket: any IntakeHandler
    /// What they have put aside.
    package let putAside: any PutAsideFiles

    package init(inbox: any IntakeHandler, socket: any IntakeHandler, putAside: any PutAsideFiles) {
        self.inbox = inbox
        self.putAside = putAside
        self.socket = socket
    }

    package subscript(intake: Intake) -> any IntakeHandler {
        switch intake {
        case .inbox: inbox
        case .socket: socket
        }
    }

    package var all: [any IntakeHandler] { Intake.allCases.map { self[$0] } }

    /// The number of files that wait to be taken; nil when no intake can tell.
    package func backlog() async -> Int? {
        var sum: Int?
        for handler in all {
            if let count = await handler.backlog() { sum = (sum ?? 0) + count }
        }
        return sum
    }
}
