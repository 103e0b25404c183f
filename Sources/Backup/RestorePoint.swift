package import API
import Foundation
import Keeping
import Tree
package import TreeModel

/// The moment of a store that is wanted of its backups.
package enum RestorePoint: Sendable, Hashable {
    case newest
    /// A position in the change log.
    case token(UInt64)
    /// A time.
    case time(Timestamp)

    /// Reads a position as people write it: the number of a change, a day (2026-05-01) or an ISO 8601 time; nil for the newest.
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

/// What a moment is made of: the last backup before it, and, where it lies between two, the change log of the next.
struct RestorePlan: Sendable {
    let state: BackupState
    /// The backup whose change log has the changes that are made anew.
    var next: BackupState?
    let point: RestorePoint

    /// - Throws: `Failure` `not_found` for a moment before the first backup or behind the last.
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
                hint: "tintype backup list tells which there are")
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
                    hint: "tintype backup list tells which there are")
            }
        case .time(let time):
            // What was changed since the newest backup is in none.
            guard time <= newest.madeAt else {
                let last = Date(timeIntervalSince1970: Double(newest.madeAt.milliseconds) / 1000).formatted(.iso8601)
                throw Failure(
                    .notFound, "\(source.path) ends with a backup of \(last), before that time",
                    hint: "leave --at out for the newest; tintype backup list tells which there are")
            }
        }
    }
}
