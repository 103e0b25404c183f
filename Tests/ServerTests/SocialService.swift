import API
import Access
import Client
import HTTPTypes
import Model
import TestSupport
import Tree
import TreeModel

/// A service that a test asks, over sockets or without.
protocol AskedService: Sendable {
    associatedtype Client: AskingClient

    /// Asks as the service's owner does, through the Unix socket.
    var client: Client { get }
    /// Asks as programs elsewhere do, over TCP.
    var tcpClient: Client { get }
    var tree: TreeStore { get }
    /// Issues the tokens that the service believes.
    var authority: TokenAuthority { get }
}

extension AskedService {
    /// The headers of a request that a user sends who has signed in.
    func headers(of uid: String, _ claims: [String: JSONValue] = [:]) throws -> HTTPFields {
        var claims = claims
        claims["sub"] = .string(uid)
        claims["user_id"] = .string(uid)
        return [.authorization: "Bearer \(try authority.issue(claims))"]
    }

    /// Sets the rules that a store gets when it is made.
    func setDefaultRules() async throws { try await tree.setRules(DefaultRules.database) }

    /// Sends a request over TCP as somebody who has signed in, with a JSON body if there is one; as nobody for nil.
    func ask(
        _ method: HTTPRequest.Method, _ path: String, as uid: String?, _ body: String? = nil
    ) async throws -> Answer {
        var headers = HTTPFields()
        if let uid { headers = try self.headers(of: uid, ["name": .string(uid)]) }
        guard let body else { return try await tcpClient.ask(method, path, headers: headers) }
        headers[.contentType] = "application/json"
        return try await tcpClient.ask(method, path, headers: headers, body: .bytes(Array(body.utf8)))
    }

    /// Makes people whose names are their ids.
    func addPeople(_ uids: String...) async throws {
        for uid in uids {
            let answer = try await ask(.put, "/v1/people/\(uid)", as: uid, #"{"full_name":"\#(uid)"}"#)
            if answer.status != 201 { throw Failure(.internal, answer.text) }
        }
    }
}
