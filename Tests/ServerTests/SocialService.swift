import API
import Access
import Client
import HTTPTypes
import Model
import TestSupport
import Testing
import Tree
import TreeModel

/// A service for tests, over sockets or without.
protocol AskedService: Sendable {
    associatedtype Client: AskingClient

    /// The client of the service's owner, over the Unix socket.
    var client: Client { get }
    /// The client of remote programs, over TCP.
    var tcpClient: Client { get }
    var tree: TreeStore { get }
    /// The issuer of the tokens that the service accepts.
    var authority: TokenAuthority { get }
}

extension AskedService {
    /// Returns the header fields of a request by a signed-in user.
    func headers(of uid: String, _ claims: [String: JSONValue] = [:]) throws -> HTTPFields {
        var claims = claims
        claims["sub"] = .string(uid)
        claims["user_id"] = .string(uid)
        return [.authorization: "Bearer \(try authority.issue(claims))"]
    }

    /// Sets the rules of a new store.
    func setDefaultRules() async throws { try await tree.setRules(DefaultRules.database) }

    /// Waits until all jobs caused by previous writes are done.
    func finishJobs() async throws {
        try await eventually { try await tree.snapshot { try !$0.exists(TreePath(["jobs"], in: .social)) } }
    }

    /// Sends a request over TCP as a signed-in user, with a JSON body if there is one; without proof for a nil user.
    func ask(
        _ method: HTTPRequest.Method, _ path: String, as uid: String?, _ body: String? = nil
    ) async throws -> Answer {
        var headers = HTTPFields()
        if let uid { headers = try self.headers(of: uid, ["name": .string(uid)]) }
        guard let body else { return try await tcpClient.ask(method, path, headers: headers) }
        headers[.contentType] = "application/json"
        return try await tcpClient.ask(method, path, headers: headers, body: .bytes(Array(body.utf8)))
    }

    /// Creates people whose names are their ids.
    func addPeople(_ uids: String...) async throws {
        for uid in uids {
            let answer = try await ask(.put, "/v1/people/\(uid)", as: uid, #"{"full_name":"\#(uid)"}"#)
            if answer.status != 201 { throw Failure(.internal, answer.text) }
        }
    }
}
