package import Cryptography
import Foundation

/// The process at the other end of a Unix socket, as the kernel reports it (SO_PEERCRED, unix(7)).
package struct PeerCredentials: Sendable, Hashable {
    package let userID: UInt32
    package let groupID: UInt32
    package let processID: Int32

    package init(userID: UInt32, groupID: UInt32, processID: Int32) {
        (self.userID, self.groupID, self.processID) = (userID, groupID, processID)
    }
}

/// The users of the system who may use the Unix socket, and the users that they may act for.
///
/// The service's own user, members of its group and root may act for all users. A setting names others, or other rights
/// for members of the group: `www-data=ada, @photographers=any`.
package struct PeerPolicy: Sendable {
    /// The right of a system user to act for users of the service.
    enum Right: Sendable, Hashable {
        /// The right to act for any user, and as the owner.
        case any
        /// The right to act as one user, by the user's id in the service.
        case user(String)
    }

    private var users: [UInt32: Right] = [:]
    /// The groups in the order of the setting; the first match counts.
    private var groups: [(id: UInt32, right: Right)] = []
    private let ownUser: UInt32
    private let ownGroup: UInt32
    private let groupsOfUser: @Sendable (UInt32) -> Set<UInt32>

    /// Reads the setting: `NAME=any` or `NAME=UID` for a system user, with an `@` before the name for a group; entries
    /// are separated by commas. Names may be numbers.
    ///
    /// - Throws: ``KeyError`` for a malformed list, and for names that the system does not have.
    package init(_ setting: String = "") throws(KeyError) {
        let accounts = SystemAccounts()
        try self.init(setting, ownUser: geteuid(), ownGroup: getegid()) { accounts.groups(ofUser: $0) }
    }

    init(
        _ setting: String, ownUser: UInt32, ownGroup: UInt32, groupsOfUser: @escaping @Sendable (UInt32) -> Set<UInt32>
    ) throws(KeyError) {
        (self.ownUser, self.ownGroup, self.groupsOfUser) = (ownUser, ownGroup, groupsOfUser)
        for entry in setting.split(separator: ",") {
            let parts = entry.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard parts.count == 2, TokenSubject.isValid(parts[1]) else {
                throw KeyError("\"\(entry)\" is not of the form NAME=any, NAME=UID, @GROUP=any or @GROUP=UID")
            }
            let right = parts[1] == "any" ? Right.any : .user(parts[1])
            if parts[0].hasPrefix("@") {
                let name = String(parts[0].dropFirst())
                guard let id = SystemAccounts.groupID(named: name) else {
                    throw KeyError("the system has no group \"\(name)\"")
                }
                groups.append((id, right))
            } else {
                guard let id = SystemAccounts.userID(named: parts[0]) else {
                    throw KeyError("the system has no user \"\(parts[0])\"")
                }
                guard users.updateValue(right, forKey: id) == nil else {
                    throw KeyError("the system user \"\(parts[0])\" is named twice")
                }
            }
        }
    }

    /// Returns the right of a process; nil if it may not use the socket.
    func right(of peer: PeerCredentials) -> Right? {
        if peer.userID == ownUser || peer.userID == 0 { return .any }
        if let right = users[peer.userID] { return right }
        let memberships = groupsOfUser(peer.userID).union([peer.groupID])
        if let group = groups.first(where: { memberships.contains($0.id) }) { return group.right }
        return memberships.contains(ownGroup) ? .any : nil
    }
}
