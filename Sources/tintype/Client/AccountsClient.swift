import API
import Client
import HTTPTypes
import TreeModel

/// A client of the running service's accounts, with the rights of an administrator.
struct AccountsClient: Sendable {
    /// The largest number of accounts on a page.
    static let maxPage = 1000

    let service: APIClient
    private let path: String

    private static let toolkit = "/identitytoolkit.googleapis.com/v1/projects"

    /// Requests the name of the project from the service.
    ///
    /// - Throws: `Failure` when the service cannot be reached.
    init(_ options: StorageOptions) async throws {
        service = try APIClient(options)
        let project = try await service.read(.get, Self.toolkit, as: JSONValue.self)
        path = "\(Self.toolkit)/\(APIClient.percentEncoded(project["projectId"]?.string ?? ""))/accounts"
    }

    /// Performs an operation on accounts; the empty name creates one.
    ///
    /// - Throws: `Failure` when the service rejects it or cannot be reached.
    @discardableResult
    func post(_ operation: String, _ body: JSONValue) async throws -> JSONValue {
        try await service.read(.post, operation.isEmpty ? path : "\(path):\(operation)", json: body)
    }

    /// Returns the account with an id, or else with an e-mail address.
    ///
    /// - Throws: `Failure` with the code `unknown_user` when it does not exist.
    func account(_ name: String) async throws -> UserDocument {
        let found = try await post("lookup", ["localId": [.string(name)], "email": [.string(name)]])
        let users = Self.users(in: found)
        guard let user = users.first(where: { $0.uid == name }) ?? users.first else {
            throw Failure(
                .unknownUser, "there is no account \"\(name.prefix(200))\"",
                hint: "List all accounts with tintype user ls.")
        }
        return user
    }

    /// Returns a page of accounts in the order of their ids.
    ///
    /// - Parameter token: The token of the previous page; nil for the first page.
    /// - Returns: The accounts, and the token of the next page; nil when this was the last.
    func page(after token: String?, limit: Int) async throws -> (users: [UserDocument], next: String?) {
        let answer = try await service.read(
            .get, "\(path):batchGet", query: ["maxResults": "\(limit)", "nextPageToken": token], as: JSONValue.self)
        return (Self.users(in: answer), answer["nextPageToken"]?.string)
    }

    private static func users(in answer: JSONValue) -> [UserDocument] {
        guard case .list(let list)? = answer["users"] else { return [] }
        return list.compactMap(UserDocument.init(identity:))
    }
}
