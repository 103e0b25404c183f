package import Cryptography
import Foundation

/// The process at the other end of a Unix socket, as the kernel knows it (SO_PEERCRED, unix(7)).
package struct PeerCredentials: Sendable, Hashable {
    package let userID: UInt32
    package let groupID: UInt32
    package let processID: Int32

    package init(userID: UInt32, groupID: UInt32, processID: Int32) {
        (self.userID, self.groupID, self.processID) = (userID, groupID, processID)
    }
}

/// The users of the system who may use the Unix socket, and for whom they may act.
///
/// The service's own user, members of its group and root act for anybody. A setting names others, or other rights for
/// members of the group: `www-data=ada, @photographers=any`.
package struct PeerPolicy: Sendable {
    /// For whom a user may act.
    enum Right: Sendable, Hashable {
        /// For anybody, and as the owner.
        case any
        /// As one user, by his id here.
        case user(String)
    }

    private var users: [UInt32: Right] = [:]
    /// In the order of the setting, of which the first that fits counts.
    private var groups: [(id: UInt32, right: Right)] = []
    private let ownUser: UInt32
    private let ownGroup: UInt32
    private let groupsOfUser: @Sendable (UInt32) -> Set<UInt32>

    /// Reads the setting: `NAME=any` or `NAME=UID` for a system user, with an `@` before the name for a group; separated
    /// by commas. Names may be numbers.
    ///
    /// - Throws: ``KeyError`` for what is no such list, and for names that the system does not know.
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

    /// For whom a process may act; nil for nobody.
    func right(of peer: PeerCredentials) -> Right? {
        if peer.userID == ownUser || peer.userID == 0 { return .any }
        if let right = users[peer.userID] { return right }
        let memberships = groupsOfUser(peer.userID).union([peer.groupID])
        if let group = groups.first(where: { memberships.contains($0.id) }) { return group.right }
        return memberships.contains(ownGroup) ? .any : nil
    }
}
