import API
import Client
import HTTPTypes
import TreeModel

/// A client of the running service's accounts, with the rights of an administrator.
struct AccountsClient: Sendable {
    /// The largest number of accounts on a page.
    private static let maxPage = 1000

    let service: APIClient
    private let path: String

    private static let toolkit = "/identitytoolkit.googleapis.com/v1/projects"

    /// Requests the name of the project from the service.
    ///
    /// - Throws: `Failure` when the service cannot be reached.
    init(_ options: StorageOptions) async throws {
        try await self.init(APIClient(options))
    }

    /// - Throws: `Failure` when the service cannot be reached.
    init(_ service: APIClient) async throws {
        self.service = service
        let project = try await service.read(.get, Self.toolkit, as: JSONValue.self)
        path = "\(Self.toolkit)/\((project["projectId"]?.string ?? "").percentEncoded)/accounts"
    }

    /// Performs an operation on accounts; the empty name creates one.
    ///
    /// - Throws: `Failure` when the service rejects it or cannot be reached.
    @discardableResult
    func post(_ operation: String, _ body: JSONValue) async throws -> JSONValue {
        try await service.read(.post, operation.isEmpty ? path : "\(path):\(operation)", json: body)
    }

    /// Returns the account that a text means, as ``PersonFinder`` finds it, and prints whom a name means.
    ///
    /// - Parameter byName: Whether a name counts; if not, nobody else is reached once the account is deleted.
    /// - Throws: `Failure` with the code `unknown_user` when it does not exist, and `bad_user` for a name of several.
    func account(_ text: String, byName: Bool = true) async throws -> UserDocument {
        if let match = try await PersonFinder(service: service).find(text, byName: byName, in: self),
            let user = try await find(match.uid)
        {
            match.tell()
            return user
        }
        let suggestion = try await all().map { KnownPerson($0) }.suggestion(for: text).map { "; \($0)" } ?? ""
        throw Failure(
            .unknownUser,
            "there is no account \"\(text.prefix(200))\"\(byName ? "" : " by id or address")\(suggestion)",
            hint: "List all accounts with tintype user ls.")
    }

    /// Returns the account with an id, or else with an e-mail address; nil if there is none.
    func find(_ text: String) async throws -> UserDocument? {
        let found = try await post("lookup", ["localId": [.string(text)], "email": [.string(text)]])
        let users = Self.users(in: found)
        return users.first { $0.uid == text } ?? users.first
    }

    /// Returns all accounts in the order of their ids.
    func all() async throws -> [UserDocument] {
        var (users, next) = ([UserDocument](), String?.none)
        repeat {
            let answer = try await service.read(
                .get, "\(path):batchGet", query: ["maxResults": "\(Self.maxPage)", "nextPageToken": next],
                as: JSONValue.self)
            let page = Self.users(in: answer)
            users += page
            next = page.isEmpty ? nil : answer["nextPageToken"]?.string
        } while next != nil
        return users
    }

    private static func users(in answer: JSONValue) -> [UserDocument] {
        guard case .list(let list)? = answer["users"] else { return [] }
        return list.compactMap(UserDocument.init(identity:))
    }
}
