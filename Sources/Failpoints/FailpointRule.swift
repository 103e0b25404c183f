import Glibc

/// An action at some failpoints, written `SIDE-POINT[:PLACE]=ACTION[@N]`.
///
///     before-rename:/blobs/=crash@3      ends the process (SIGKILL) instead of the third rename into or out of blobs/
///     after-commit=pause(/tmp/gate)      holds the thread after the first commit, for as long as the file is there
///     before-fsync:.part=EIO@2+          fails every fsync of a part but the first
///     before-fsync-folder=skip@1+        makes no call and reports success, like a disk that loses writes
///     *=trace(/tmp/points)               writes every point that is passed to a file, one per line
///
/// PLACE is a substring of the point's place. N counts the matches of the rule, from 1 (the default); `N+` means the
/// Nth match and all later ones. Rules are separated by `;`.
struct FailpointRule: Sendable {
    enum Action: Sendable, Equatable {
        case crash
        case fail(Int32)
        case skip
        case pause(while: String)
        case trace(to: String)
    }

    /// The point; nil for any.
    private(set) var point: Failpoint?
    private(set) var side: Failpoint.Side?
    private(set) var place = ""
    private(set) var action = Action.crash
    private(set) var first = 1
    private(set) var isLasting = false

    /// The errors of a disk, by name.
    static let errorNumbers: [String: Int32] = [
        "ENOSPC": ENOSPC, "EDQUOT": EDQUOT, "EIO": EIO, "EMFILE": EMFILE, "ENFILE": ENFILE, "EACCES": EACCES,
        "EROFS": EROFS, "ENOMEM": ENOMEM,
    ]

    /// Parses a rule; nil when the text is not valid.
    init?(_ text: Substring) {
        let sides = text.split(separator: "=", maxSplits: 1)
        guard sides.count == 2, read(pattern: sides[0]), read(action: sides[1]) else { return nil }
        switch action {
        case .fail where side != .before: return nil
        case .skip where side != .before || point != .fsync && point != .fsyncFolder: return nil
        case .trace: isLasting = true
        default: break
        }
    }

    private mutating func read(pattern: Substring) -> Bool {
        if pattern == "*" { return true }
        let parts = pattern.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts[0].split(separator: "-", maxSplits: 1)
        guard name.count == 2, let side = Failpoint.Side(rawValue: String(name[0])),
            let point = Failpoint(rawValue: String(name[1]))
        else { return false }
        self.side = side
        self.point = point
        if parts.count == 2 { place = String(parts[1]) }
        return true
    }

    private mutating func read(action text: Substring) -> Bool {
        let parts = text.split(separator: "@", maxSplits: 1)
        guard let name = parts.first else { return false }
        if parts.count == 2 {
            isLasting = parts[1].hasSuffix("+")
            guard let number = Int(parts[1].prefix { $0 != "+" }), number >= 1 else { return false }
            first = number
        }
        if let path = Self.argument(of: "pause", in: name) {
            action = .pause(while: path)
        } else if let path = Self.argument(of: "trace", in: name) {
            action = .trace(to: path)
        } else if let number = Self.errorNumbers[String(name)] {
            action = .fail(number)
        } else if name == "skip" {
            action = .skip
        } else {
            return name == "crash"
        }
        return true
    }

    private static func argument(of action: String, in text: Substring) -> String? {
        guard text.hasPrefix(action + "("), text.hasSuffix(")") else { return nil }
        return String(text.dropFirst(action.count + 1).dropLast())
    }

    /// Whether the rule matches a point, whatever the number of matches so far.
    func matches(_ point: Failpoint, _ side: Failpoint.Side, _ place: String) -> Bool {
        (self.point ?? point) == point && (self.side ?? side) == side
            && (self.place.isEmpty || place.contains(self.place))
    }

    /// Whether the rule acts at the n-th match.
    func acts(at match: Int) -> Bool {
        match == first || isLasting && match > first
    }
}
