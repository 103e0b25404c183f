import Access
import Database
import Tree
import TreeModel

/// A client's message in the Realtime Database's wire protocol (version 5).
enum ClientMessage {
    /// A keep-alive that requests a response.
    case ping
    /// A message without meaning for the service, such as the end of a transport.
    case control
    case request(number: Int, Result<ClientAction, ClientRefusal>)

    /// Parses a message; nil if it is malformed.
    init?(_ message: MessageJoiner.Message) {
        switch message {
        case .text(let text): self.init(text)
        case .tooLong(let edges):
            self.init(
                refusing: edges, with: ClientRefusal(.writeTooLarge, "a message has at most 16 MiB: write in parts"))
        case .denied(let edges):
            self.init(refusing: edges, with: ClientRefusal(.permissionDenied, "Permission denied"))
        }
    }

    private init?(refusing edges: [UInt8], with refusal: ClientRefusal) {
        guard let number = Self.requestNumber(in: edges) else { return nil }
        self = .request(number: number, .failure(refusal))
    }

    /// Finds the number of a request of which only the beginning and the end are kept: clients write it before or after
    /// the body.
    private static func requestNumber(in edges: [UInt8]) -> Int? {
        let text = String(decoding: edges, as: UTF8.self)
        let before = /^\s*\{[^{}]*\{[^{}]*"r"\s*:\s*(\d{1,9})\s*[,}]/
        let behind = /"r"\s*:\s*(\d{1,9})\s*(?:,[^{}]*)?\}[^{}]*\}\s*$/
        return (text.firstMatch(of: before)?.1 ?? text.firstMatch(of: behind)?.1).flatMap { Int($0) }
    }

    private init?(_ text: [UInt8]) {
        guard let envelope = JSONSlice(text).members(), let content = envelope["d"] else { return nil }
        switch envelope["t"]?.value?.string {
        case "c":
            guard let control = content.members() else { return nil }
            self = control["t"]?.value?.string == "p" ? .ping : .control
        case "d":
            guard let request = content.members(), let number = request["r"]?.value?.integer,
                let name = request["a"]?.value?.string
            else { return nil }
            self = .request(
                number: number,
                Result { () throws(ClientRefusal) in
                    try ClientAction(named: name, body: request["b"]?.members() ?? [:])
                })
        default: return nil
        }
    }
}

/// An action that a client requests.
enum ClientAction {
    case listen(RealtimeListen)
    case stopListening(RealtimeListen.Key)
    case get(DatabaseTarget)
    case put(DatabaseTarget, json: ArraySlice<UInt8>, hash: String?)
    case merge(DatabaseTarget, json: ArraySlice<UInt8>)
    case onDisconnect(DisconnectOperation.Form, DatabaseTarget, json: ArraySlice<UInt8>)
    case cancelOnDisconnect(DatabaseTarget)
    case authenticate(RealtimeCredential)
    case forgetCredential
    /// A request that requires only an acknowledgement, such as the client's statistics.
    case acknowledge
    /// Ends the client's previous session. Clients do not request it; a new session does it first.
    case endSession(String)

    fileprivate init(named name: String, body: [String: JSONSlice]) throws(ClientRefusal) {
        switch name {
        case "q", "l": self = .listen(try RealtimeListen(body))
        case "n", "u": self = .stopListening(try RealtimeListen(body).key)
        case "g": self = .get(try DatabaseTarget(body))
        case "p":
            self = .put(try DatabaseTarget(body), json: try Self.data(in: body), hash: body["h"]?.value?.string)
        case "m": self = .merge(try DatabaseTarget(body), json: try Self.data(in: body))
        case "o": self = .onDisconnect(.set, try DatabaseTarget(body), json: try Self.data(in: body))
        case "om": self = .onDisconnect(.update, try DatabaseTarget(body), json: try Self.data(in: body))
        case "oc": self = .cancelOnDisconnect(try DatabaseTarget(body))
        case "auth", "gauth": self = .authenticate(try RealtimeCredential(body))
        case "unauth": self = .forgetCredential
        case "s", "appcheck", "unappeck", "unappcheck": self = .acknowledge
        default: throw ClientRefusal(.failure, "\(name.prefix(40)) is no action that is known here")
        }
    }

    private static func data(in body: [String: JSONSlice]) throws(ClientRefusal) -> ArraySlice<UInt8> {
        guard let data = body["d"] else { throw ClientRefusal(.failure, "there is no data (d)") }
        return data.bytes
    }
}

/// The path that a request names, as text, within the session's tree.
struct DatabaseTarget {
    let keys: [TreeKey]
    let isPriority: Bool
    let query: TreeQuery?

    init(_ body: [String: JSONSlice]) throws(ClientRefusal) {
        guard let text = body["p"]?.value?.string else { throw ClientRefusal(.failure, "there is no path (p)") }
        do throws(TreeError) {
            var names = text.unicodeScalars.split(separator: "/").map(String.init)
            isPriority = names.last == ".priority"
            if isPriority { names.removeLast() }
            var keys: [TreeKey] = []
            for name in names { keys.append(try TreeKey(name)) }
            try TreePath(keys).checkDepth()
            self.keys = keys
            query = try TreeQuery.wire(body["q"]?.value)
        } catch {
            throw ClientRefusal(error)
        }
    }
}

/// A client's request to listen.
struct RealtimeListen {
    /// The key of a listener within its session: the path, and with a query also the client's number (tag).
    struct Key: Hashable {
        let path: [TreeKey]
        let tag: Int?
    }

    /// The longest query that is kept as received, in bytes.
    private static let maxQueryBytes = 4096

    let key: Key
    let query: TreeQuery?
    /// The query as the client wrote it; it is sent back when listening is no longer permitted.
    let queryText: [UInt8]
    /// The hash of the client's copy; nil if it has none.
    let knownHash: String?

    fileprivate init(_ body: [String: JSONSlice]) throws(ClientRefusal) {
        let target = try DatabaseTarget(body)
        guard !target.isPriority else { throw ClientRefusal(.failure, "a priority cannot be listened to") }
        let tag = body["t"]?.value
        guard tag == nil || tag?.integer != nil else { throw ClientRefusal(.failure, "a tag (t) is a whole number") }
        key = Key(path: target.keys, tag: tag?.integer)
        query = target.query
        let text = body["q"]?.bytes ?? []
        queryText = text.count <= Self.maxQueryBytes ? Array(text) : []
        knownHash = body["h"]?.value?.string.flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// A credential that a client presents.
struct RealtimeCredential {
    let token: String
    /// The value of `auth` that an owner wants the rules to use, as JSON; nil for none.
    let override: String?

    fileprivate init(_ body: [String: JSONSlice]) throws(ClientRefusal) {
        guard let token = body["cred"]?.value?.string else {
            throw ClientRefusal(.invalidToken, "there is no credential (cred)")
        }
        self.token = token
        if body["noauth"]?.value == .bool(true) {
            override = "null"
        } else {
            override = body["authvar"].map { String(decoding: $0.bytes, as: UTF8.self) }
        }
    }
}
