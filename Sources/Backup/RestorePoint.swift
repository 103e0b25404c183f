package import API
import Foundation
import Keeping
import Tree
package import TreeModel

/// The time in the history of a store to restore.
package enum RestorePoint: Sendable, Hashable {
    case newest
    /// A position in the change log.
    case token(UInt64)
    /// A time.
    case time(Timestamp)

    /// Parses the number of a change, a day (2026-05-01) or an ISO 8601 time; nil for the newest backup.
    ///
    /// - Throws: `Failure` `bad_time`.
    package init(parsing text: String?) throws(Failure) {
        if let token = text.flatMap(UInt64.init) {
            self = .token(token)
        } else if let text {
            self = .time(try WrittenTime.read(text))
        } else {
            self = .newest
        }
    }
}

/// The backups that a restoration uses: the last one before the time, and, if the time lies between two, the change log
/// of the next.
struct RestorePlan: Sendable {
    let state: BackupState
    /// The backup whose change log has the changes to apply; nil if none are needed.
    var next: BackupState?
    let point: RestorePoint

    /// - Throws: `Failure` `not_found` for a time before the first backup or after the last.
    init(_ point: RestorePoint, of source: any BackupSource) async throws {
        self.point = point
        let states = try await source.states()
        let newest = try await source.newest()
        func isReached(_ state: BackupState) -> Bool {
            switch point {
            case .newest: true
            case .token(let token): state.token <= token
            case .time(let time): state.madeAt <= time
            }
        }
        guard let state = states.last(where: isReached) else {
            throw Failure(
                .notFound,
                "\(source.path) has no backup of that time: the first is of change \(states.first?.token ?? 0)",
                hint: "List the backups with tintype backup ls.")
        }
        self.state = state
        next = states.first { $0.token > state.token }
        switch point {
        case .newest: next = nil
        case .token(let token):
            if token == state.token { next = nil }
            if token > newest.token {
                throw Failure(
                    .notFound, "\(source.path) ends with change \(newest.token), before change \(token)",
                    hint: "List the backups with tintype backup ls.")
            }
        case .time(let time):
            // Changes after the newest backup are in none.
            guard time <= newest.madeAt else {
                let last = Date(timeIntervalSince1970: Double(newest.madeAt.milliseconds) / 1000).formatted(.iso8601)
                throw Failure(
                    .notFound, "\(source.path) ends with a backup of \(last), before that time",
                    hint: "Omit --at for the newest, or list the backups with tintype backup ls.")
            }
        }
    }
}
