import Accounts
import HTTPTypes

/// The parsed address of an identity endpoint. The hosts of Firebase's services are the first part of the path, as its
/// SDKs write them for an emulator.
struct IdentityAddress: Equatable {
    let operation: IdentityOperation
    /// The project that an administrator names; nil if none is named.
    let project: String?
    /// Whether the fields are in the query.
    let isQuery: Bool

    private static let toolkit = "/identitytoolkit.googleapis.com/v1/"
    private static let newerToolkit = "/identitytoolkit.googleapis.com/v2/accounts/"
    private static let olderToolkit = "/www.googleapis.com/identitytoolkit/v3/relyingparty/"
    private static let tokenPaths = [
        "/securetoken.googleapis.com/v1/token", "/identitytoolkit.googleapis.com/v1/token",
    ]
    private static let emulator = "/emulator/v1/projects/"

    /// Whether an address exists only in emulators.
    static func isOfEmulator(_ path: String) -> Bool { path.hasPrefix(emulator) }

    /// Whether an address is in the range of these endpoints.
    static func isOne(_ path: some StringProtocol) -> Bool {
        [toolkit, newerToolkit, olderToolkit, emulator, "/securetoken.googleapis.com/"].contains { path.hasPrefix($0) }
    }

    private init(_ operation: IdentityOperation, project: Substring? = nil, isQuery: Bool = false) {
        self.operation = operation
        self.project = project.map(String.init)
        self.isQuery = isQuery
    }

    /// Parses an address; nil if it names no operation.
    ///
    /// - Parameter path: The path, without its query.
    init?(_ method: HTTPRequest.Method, _ path: String) {
        if Self.tokenPaths.contains(path) {
            guard method == .post else { return nil }
            self.init(.token)
        } else if path.hasPrefix(Self.toolkit) {
            self.init(toolkit: method, path.dropFirst(Self.toolkit.count))
        } else if path.hasPrefix(Self.newerToolkit) {
            guard let found = IdentityOperation(newerName: String(path.dropFirst(Self.newerToolkit.count))),
                method == .post
            else { return nil }
            self.init(found)
        } else if path.hasPrefix(Self.olderToolkit) {
            let name = String(path.dropFirst(Self.olderToolkit.count))
            guard let found = IdentityOperation(olderName: name), method == (found == .project ? .get : .post) else {
                return nil
            }
            self.init(found, isQuery: method == .get)
        } else if path.hasPrefix(Self.emulator) {
            self.init(emulator: method, path.dropFirst(Self.emulator.count))
        } else {
            return nil
        }
    }

    /// Parses `accounts:NAME`, `projects`, `projects/PROJECT:createSessionCookie`, `projects/PROJECT/accounts` or
    /// `projects/PROJECT/accounts:NAME`.
    private init?(toolkit method: HTTPRequest.Method, _ rest: Substring) {
        let parts = rest.split(separator: "/", omittingEmptySubsequences: false)
        switch (parts.count, parts.first) {
        case (1, "projects"?):
            guard method == .get else { return nil }
            self.init(.project, isQuery: true)
        case (1, let name?):
            guard let name = Self.name(of: name), !name.isEmpty, method == .post,
                let found = IdentityOperation(clientName: name)
            else { return nil }
            self.init(found)
        case (2, "projects"?):
            let words = parts[1].split(separator: ":", omittingEmptySubsequences: false)
            guard words.count == 2, words[1] == IdentityOperation.createSessionCookie.rawValue, method == .post else {
                return nil
            }
            self.init(.createSessionCookie, project: words[0])
        case (3, "projects"?):
            guard let name = Self.name(of: parts[2]), let found = IdentityOperation(adminName: name),
                method == (found == .batchGet ? .get : .post)
            else { return nil }
            self.init(found, project: parts[1], isQuery: method == .get)
        default: return nil
        }
    }

    /// Parses `PROJECT/accounts`, `PROJECT/oobCodes` or `PROJECT/config`.
    private init?(emulator method: HTTPRequest.Method, _ rest: Substring) {
        let parts = rest.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let found: IdentityOperation
        switch (method, parts[1]) {
        case (.delete, "accounts"): found = .deleteAll
        case (.get, "oobCodes"): found = .oobCodes
        case (.get, "config"): found = .config
        case (.patch, "config"): found = .updateConfig
        default: return nil
        }
        self.init(found, project: parts[0], isQuery: method != .patch)
    }

    /// Returns the text after the colon in `accounts:NAME`; empty for `accounts`.
    private static func name(of part: Substring) -> String? {
        let parts = part.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.first == "accounts" else { return nil }
        return parts.count == 2 ? String(parts[1]) : ""
    }
}
