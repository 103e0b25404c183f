import API
import Client
import HTTPTypes
import TreeModel

/// A client of the running service's accounts, which it speaks for as an administrator.
struct AccountsClient: Sendable {
    /// The most accounts of a page.
    static let maxPage = 1000

    let service: APIClient
    private let path: String

    private static let toolkit = "/identitytoolkit.googleapis.com/v1/projects"

    /// Asks the service for the name of its project.
    ///
    /// - Throws: `Failure` when the service cannot be reached.
    init(_ options: StorageOptions) async throws {
        service = try APIClient(options)
        let project = try await service.read(.get, Self.toolkit, as: JSONValue.self)
        path = "\(Self.toolkit)/\(APIClient.percentEncoded(project["projectId"]?.string ?? ""))/accounts"
    }

    /// Does something with accounts; the empty name makes one.
    ///
    /// - Throws: `Failure` when the service refuses it or cannot be reached.
    @discardableResult
    func post(_ operation: String, _ body: JSONValue) async throws -> JSONValue {
        try await service.read(.post, operation.isEmpty ? path : "\(path):\(operation)", json: body)
    }

    /// The account with an id, or else with an e-mail address.
    ///
    /// - Throws: `Failure` with the code `unknown_user` when there is none.
    func account(_ name: String) async throws -> UserDocument {
        let found = try await post("lookup", ["localId": [.string(name)], "email": [.string(name)]])
        let users = Self.users(in: found)
        guard let user = users.first(where: { $0.uid == name }) ?? users.first else {
            throw Failure(
                .unknownUser, "there is no account \"\(name.prefix(200))\"", hint: "tintype user ls lists them all")
        }
        return user
    }

    /// A page of accounts in the order of their ids.
    ///
    /// - Parameter token: What the page before has said; nil for the first page.
    /// - Returns: The accounts, and what to say for the next page; nil when this was the last.
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
