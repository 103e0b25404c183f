import Foundation
import Synchronization

/// A cache of the system's users and groups.
///
/// An answer is valid for a minute, because the system may have to query another machine.
final class SystemAccounts: Sendable {
    private static let maxEntries = 1000

    private struct Entry {
        let groups: Set<UInt32>
        let time: ContinuousClock.Instant
    }

    private let entries = Mutex<[UInt32: Entry]>([:])

    /// Returns the groups that a user is a member of.
    func groups(ofUser id: UInt32) -> Set<UInt32> {
        let now = ContinuousClock.now
        if let entry = entries.withLock({ $0[id] }), now - entry.time < .seconds(60) { return entry.groups }
        let groups = Self.readGroups(ofUser: id)
        entries.withLock { entries in
            if entries.count >= Self.maxEntries { entries = [:] }
            entries[id] = Entry(groups: groups, time: now)
        }
        return groups
    }

    private static func readGroups(ofUser id: UInt32) -> Set<UInt32> {
        withEntry(size: 16 << 10) { buffer, size -> Set<UInt32>? in
            var user = passwd()
            var found: UnsafeMutablePointer<passwd>?
            guard getpwuid_r(id, &user, buffer, size, &found) == 0, found != nil,
                let name = user.pw_name
            else { return nil }
            var groups = [UInt32](repeating: 0, count: 1024)
            var count = Int32(groups.count)
            guard getgrouplist(name, user.pw_gid, &groups, &count) >= 0 else { return [user.pw_gid] }
            return Set(groups.prefix(Int(count)))
        } ?? []
    }

    /// Returns the number of a user; nil if the name does not exist.
    static func userID(named name: String) -> UInt32? {
        if let id = UInt32(name) { return id }
        return withEntry(size: 16 << 10) { buffer, size in
            var user = passwd()
            var found: UnsafeMutablePointer<passwd>?
            guard getpwnam_r(name, &user, buffer, size, &found) == 0, found != nil else {
                return nil
            }
            return user.pw_uid
        }
    }

    /// Returns the number of a group; nil if the name does not exist.
    static func groupID(named name: String) -> UInt32? {
        if let id = UInt32(name) { return id }
        // The entry of a group contains the names of its members.
        return withEntry(size: 1 << 20) { buffer, size in
            var entry = group()
            var found: UnsafeMutablePointer<group>?
            guard getgrnam_r(name, &entry, buffer, size, &found) == 0, found != nil else {
                return nil
            }
            return entry.gr_gid
        }
    }

    /// Calls a function with a buffer for the texts of an entry.
    private static func withEntry<Value>(
        size: Int, _ body: (UnsafeMutablePointer<CChar>, Int) -> Value?
    ) -> Value? {
        let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: size)
        defer { buffer.deallocate() }
        return body(buffer, size)
    }
}
