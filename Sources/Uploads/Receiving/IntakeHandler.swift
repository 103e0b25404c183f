package import API
package import Model

/// The part of an intake in the life of its uploads. The pipeline calls these methods and never checks which intake it
/// is.
package protocol IntakeHandler: Sendable {
    /// Returns the treatment of an upload whose user has posted the same photos before, unless its sender has chosen
    /// one.
    func duplicatePolicy(for user: UserID) -> DuplicatePolicy

    /// Whether uploads of one user are published in the order in which they were begun.
    var keepsOrder: Bool { get }

    /// Whether a published upload leaves files that ``cleanUp(after:)`` must remove.
    var cleansUpAfterPublication: Bool { get }

    /// Cleans up after an upload that has ended. Repeated calls are harmless: clean-up that a crash interrupts is
    /// repeated at the next start.
    ///
    /// - Returns: Whether the clean-up is complete; false if the intake continues on its own and calls
    ///   ``UploadStore/finishCleanUp(_:)`` at the end.
    func cleanUp(after record: UploadRecord) async throws -> Bool

    /// Whether files of the sender wait for this reservation, so that it must not expire, however old it is.
    func holdsFiles(of id: PostID) async throws -> Bool

    /// Deletes the intake's files of an upload whose post was deleted.
    func forgetPost(of record: UploadRecord) async throws

    /// Repairs the leftovers of crashes and faults; called about once a minute, but not while sweeping is suspended.
    func sweep() async throws

    /// Deletes finished files whose retention time is over; called about once an hour, but not while sweeping is
    /// suspended.
    func sweepArchives() async throws

    /// Returns the number of files that wait to be claimed; nil if the intake has no such files or cannot count them.
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

/// The handlers of all intakes, and the files that they have put aside.
package struct IntakeHandlers: Sendable {
    /// The handler of uploads from the inbox.
    package let inbox: any IntakeHandler
    /// The handler of uploads over the socket and TCP.
    package let socket: any IntakeHandler
    /// The files that the intakes have put aside.
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

    /// Returns the number of files that wait to be claimed; nil if no intake can count them.
    package func backlog() async -> Int? {
        var sum: Int?
        for handler in all {
            if let count = await handler.backlog() { sum = (sum ?? 0) + count }
        }
        return sum
    }
}
